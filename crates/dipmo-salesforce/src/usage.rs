//! How much of the requests of a day is used, as every answer tells.

/// The newest `Sforce-Limit-Info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiUsage {
    /// The requests of the last 24 hours.
    pub used: u64,
    /// How many the org has.
    pub max: u64,
}

impl ApiUsage {
    /// Reads `api-usage=18/5000`, which the usage of one app may follow.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        header.split([';', ',']).find_map(|part| {
            let (used, max) = part.trim().strip_prefix("api-usage=")?.split_once('/')?;
            Some(Self { used: used.trim().parse().ok()?, max: max.trim().parse().ok()? })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ApiUsage;

    #[test]
    fn the_header_is_read_with_and_without_the_usage_of_an_app() {
        let expected = Some(ApiUsage { used: 18, max: 5000 });
        assert_eq!(ApiUsage::parse("api-usage=18/5000"), expected);
        assert_eq!(
            ApiUsage::parse("api-usage=18/5000; per-app-api-usage=17/250(appName=sync)"),
            expected
        );
        assert_eq!(ApiUsage::parse("per-app-api-usage=17/250(appName=sync)"), None);
        assert_eq!(ApiUsage::parse("api-usage=x/5000"), None);
    }
}
