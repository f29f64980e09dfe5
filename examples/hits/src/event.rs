//! What a hit hears.

use serde::Deserialize;
use serde_json::Value;

dipmo_api::events! {
    /// The events of topic `notification-126`, and the timer of the review.
    #[derive(Clone, Debug)]
    pub enum HitEvent {
        /// iHub found something.
        NotificationReceived(NotificationReceived) = "NotificationReceived" v2,
        /// Somebody judged whether it is real.
        HitAssessed(HitAssessed) = "HitAssessed" v1,
        /// The reviewer is done.
        ReviewCompleted(ReviewCompleted) = "ReviewCompleted" v1,
        /// The notification was a mistake.
        HitAborted(HitAborted) = "HitAborted" v1,
        /// The time for the review is over: a timer.
        ReviewOverdue = "ReviewOverdue" v1,
    }
}

/// A notification, perhaps with the assessment already made.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotificationReceived {
    /// The id of the notification at iHub.
    pub notification_id: String,
    /// Whom it is about, if that is known.
    pub customer_id: Option<String>,
    /// The assessment, when iHub made it itself.
    pub assessment: Option<HitAssessed>,
}

/// A judgement.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HitAssessed {
    /// True when the hit is real.
    pub positive: bool,
}

/// The end of a review.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewCompleted {
    /// What the reviewer found.
    pub outcome: String,
}

/// A hit that was none. It names its notification, because it may be the first that is heard of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HitAborted {
    /// The id of the notification at iHub.
    pub notification_id: String,
    /// Why.
    pub reason: String,
}

/// Version 1 of NotificationReceived called the customer `clientNumber`.
pub(crate) fn rename_client_number(mut notification: Value) -> Result<Value, String> {
    let fields = notification.as_object_mut().ok_or("a notification is a JSON object")?;
    if let Some(customer) = fields.remove("clientNumber") {
        fields.insert("customerId".to_owned(), customer);
    }
    Ok(notification)
}
