//! What to do next about an error: one class for each thing to do.

/// What its caller should do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Back off, with jitter, and try again; an upsert is safe to repeat.
    Transient,
    /// Try again with fewer calls at once.
    LessParallel,
    /// Pause the org (or this family of its API) and probe; it is nobody's attempt.
    QuotaExhausted,
    /// Try the row again, in smaller batches sorted by parent.
    RowLocked,
    /// The parent is not there yet: try later, a few times, then give up.
    ParentMissing,
    /// Somebody else was at fault: send it again without the culprit; it is nobody's attempt.
    Innocent,
    /// Nobody looked at it: send it again.
    Unprocessed,
    /// Another insert was faster: try once more, then give up.
    DuplicateValue,
    /// Stop the destination and page a human: the login or the session is not taken.
    Unauthorized,
    /// Stop the destination and page a human: no record would be taken.
    Misconfigured,
    /// Pause and page a human: the org takes nothing at the moment.
    OrgUnavailable,
    /// It will be refused again as it is.
    Permanent,
}

impl Class {
    /// What to do, in a sentence for people.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Transient => "try again later",
            Self::LessParallel => "try again with fewer calls at once",
            Self::QuotaExhausted => "the quota of the org is used up: wait until it is renewed",
            Self::RowLocked => "the record is in use: try again in a smaller batch",
            Self::ParentMissing => "the parent is not there: try again when it is",
            Self::Innocent => "another record was at fault: send it again without that",
            Self::Unprocessed => "it was not looked at: send it again",
            Self::DuplicateValue => "another insert was faster: try once more",
            Self::Unauthorized => "check the credentials and what their user may do",
            Self::Misconfigured => "correct the configuration: no record would be taken",
            Self::OrgUnavailable => "an administrator of the org has to act",
            Self::Permanent => "it will be refused again as it is",
        }
    }

    /// The class of a refusal, by Salesforce's code and message.
    ///
    /// Codes of jobs are written in other ways than those of records; all are compared without
    /// regard to letter case.
    pub(crate) fn of(code: &str, message: &str) -> Self {
        let has = |part: &str| contains(message, part);
        match code.to_ascii_uppercase().as_str() {
            "REQUEST_LIMIT_EXCEEDED" if has("Concurrent") => Self::LessParallel,
            "REQUEST_LIMIT_EXCEEDED" | "EXCEEDEDQUOTA" => Self::QuotaExhausted,
            "UNABLE_TO_LOCK_ROW" | "TOOMANYLOCKFAILURE" => Self::RowLocked,
            // A trigger failed. Either cause goes away in a smaller batch.
            "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY"
                if has("UNABLE_TO_LOCK_ROW") || has("Too many SOQL queries") =>
            {
                Self::RowLocked
            }
            _ if has("Foreign key external ID") && has("not found") => Self::ParentMissing,
            "ALL_OR_NONE_OPERATION_ROLLED_BACK" | "PROCESSING_HALTED" => Self::Innocent,
            "TIMEOUT" | "ABORTED" => Self::Unprocessed,
            "DUPLICATE_VALUE" if has("duplicate value found") => Self::DuplicateValue,
            "STORAGE_LIMIT_EXCEEDED" | "API_DISABLED_FOR_ORG" | "API_CURRENTLY_DISABLED" => {
                Self::OrgUnavailable
            }
            "INVALIDBATCH"
            | "CLIENTINPUTERROR"
            | "INVALIDUSER"
            | "INVALIDJOB"
            | "INVALIDENTITY"
            | "FEATURENOTENABLED"
            | "API_ERROR"
            | "URL_NOT_RESET"
            | "UNSUPPORTED_API_VERSION"
            | "METHOD_NOT_ALLOWED" => Self::Misconfigured,
            "SERVER_UNAVAILABLE" | "UNKNOWN_EXCEPTION" | "INTERNALSERVERERROR" => Self::Transient,
            _ => Self::Permanent,
        }
    }
}

fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn refusals_have_the_classes_of_the_table() {
        for (code, message, class) in [
            ("REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.", Class::QuotaExhausted),
            (
                "REQUEST_LIMIT_EXCEEDED",
                "ConcurrentPerOrgLongTxn Limit exceeded.",
                Class::LessParallel,
            ),
            ("ExceededQuota", "too many batches", Class::QuotaExhausted),
            ("UNABLE_TO_LOCK_ROW", "unable to obtain exclusive access", Class::RowLocked),
            ("TooManyLockFailure", "(200) Too many lock failures", Class::RowLocked),
            (
                "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
                "T: System.DmlException: UNABLE_TO_LOCK_ROW",
                Class::RowLocked,
            ),
            (
                "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
                "T: Too many SOQL queries: 101",
                Class::RowLocked,
            ),
            ("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "T: null pointer", Class::Permanent),
            (
                "INVALID_FIELD",
                "Foreign key external ID: F-1 not found for field ExternalId__c in entity Family__c",
                Class::ParentMissing,
            ),
            ("INVALID_FIELD", "No such column 'X' on sobject of type Contact", Class::Permanent),
            ("ALL_OR_NONE_OPERATION_ROLLED_BACK", "Record rolled back", Class::Innocent),
            ("PROCESSING_HALTED", "The transaction was rolled back", Class::Innocent),
            ("Timeout", "the job took too long", Class::Unprocessed),
            (
                "DUPLICATE_VALUE",
                "duplicate value found: ExternalId__c duplicates value on record with id: 003",
                Class::DuplicateValue,
            ),
            ("DUPLICATE_VALUE", "Duplicate external id specified: C-1", Class::Permanent),
            ("InvalidBatch", "Field name not found : X", Class::Misconfigured),
            ("ClientInputError", "LineEnding is invalid on user data", Class::Misconfigured),
            ("STORAGE_LIMIT_EXCEEDED", "storage limit exceeded", Class::OrgUnavailable),
            ("API_DISABLED_FOR_ORG", "API is disabled", Class::OrgUnavailable),
        ] {
            assert_eq!(Class::of(code, message), class, "{code}: {message}");
        }
        for code in [
            "REQUIRED_FIELD_MISSING",
            "STRING_TOO_LONG",
            "INVALID_FIELD",
            "FIELD_CUSTOM_VALIDATION_EXCEPTION",
            "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
            "INVALID_CROSS_REFERENCE_KEY",
            "MALFORMED_ID",
            "DUPLICATES_DETECTED",
            "DUPLICATE_EXTERNAL_ID",
            "ENTITY_IS_DELETED",
            "INSUFFICIENT_ACCESS_OR_READONLY",
            "NOT_FOUND",
            "JSON_PARSER_ERROR",
            "SOMETHING_NEW",
        ] {
            assert_eq!(Class::of(code, "no"), Class::Permanent, "{code}");
        }
    }
}
