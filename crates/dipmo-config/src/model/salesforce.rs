//! Orgs of Salesforce: how to reach them, and how records go there.

use std::num::{NonZeroU8, NonZeroU32, NonZeroU64};
use std::time::Duration;

use super::object::Object;
use super::resilience::Resilience;
use crate::read::{choice, section};
use crate::{Map, Name, OneOrMany, Secret, Share, Spanned, Template};

section! {
    /// An org of Salesforce.
    pub struct Org("an org") {
        /// Where to log in: `https://acme.my.salesforce.com`.
        #[example("${env:SF_URL}")]
        url: Template,
        /// Who logs in.
        login: Login,
        /// The version of the API. Defaults to "62.0".
        #[example("62.0")]
        api_version: Option<Template>,
        /// How long a call may last, with all that belongs to it. Defaults to 30s.
        call_timeout: Option<Spanned<Duration>>,
        /// How long an upload or a download of a job may last. Defaults to 10m.
        transfer_timeout: Option<Spanned<Duration>>,
        /// How long a connection may take to come about. Defaults to 10s.
        connect_timeout: Option<Spanned<Duration>>,
        /// Whether bodies go and come packed. Defaults to true.
        gzip: Option<Spanned<bool>>,
        /// Certificates of authorities in PEM that are trusted besides those of the system.
        #[example("${file:/etc/dipmo/authority.pem}")]
        extra_roots: OneOrMany<Template>,
        /// How the client calls itself.
        user_agent: Option<Template>,
        /// How the org is protected, where that differs from `salesforce_delivery`.
        resilience: Option<Resilience>,
        /// The objects that records go to, by their API names.
        objects: Map<Object, Name>,
    }
}

choice! {
    /// Who logs in.
    pub enum Login("a login", "client_credentials: {id: …, secret: …}") {
        /// The client credentials of a connected app that has a user to run as.
        ClientCredentials(ClientCredentials) = "client_credentials",
        /// An assertion that is signed by RS256 (the JWT bearer flow).
        Jwt(Jwt) = "jwt",
    }
}

section! {
    /// The client credentials of a connected app.
    pub struct ClientCredentials("client credentials") {
        /// The consumer key.
        #[example("${env:SF_CLIENT_ID}")]
        id: Template,
        /// The consumer secret: a reference.
        #[example("${env:SF_CLIENT_SECRET}")]
        secret: Secret,
    }
}

section! {
    /// An assertion that is signed by RS256.
    pub struct Jwt("a JWT login") {
        /// The consumer key.
        #[example("${env:SF_CLIENT_ID}")]
        id: Template,
        /// Who to act as.
        username: Template,
        /// Whom the assertion is for. Defaults to `https://login.salesforce.com`, or to
        /// `https://test.salesforce.com` for sandboxes.
        audience: Option<Template>,
        /// An RSA key in PEM of at least 2048 bits: a reference.
        #[example("${file:/run/secrets/salesforce.pem}")]
        private_key: Secret,
    }
}

section! {
    /// How records go to Salesforce.
    pub struct Delivery("the delivery to Salesforce") {
        /// So many calls of one slice are under way at once. Defaults to 4.
        parallel: Option<Spanned<NonZeroU32>>,
        /// After so long no more calls of a slice are begun. Defaults to 20s.
        slice_time: Option<Spanned<Duration>>,
        /// How long a record waits for its parent. Defaults to 8 retries, 15s apart.
        parent: Option<Patience>,
        /// How long a record waits for the row that its event announced. Defaults to 8 retries, 3s apart.
        older: Option<Patience>,
        /// What `Auto` chooses by.
        auto: Option<Auto>,
        /// How jobs of the Bulk API are made.
        bulk: Option<Bulk>,
        /// How orgs and objects are protected, unless an org says otherwise.
        resilience: Option<Resilience>,
    }
}

section! {
    /// How often to try again, and how long after.
    pub struct Patience("a patience") {
        /// How many attempts may follow the first.
        retries: Option<Spanned<u32>>,
        /// How long after the last.
        delay: Option<Spanned<Duration>>,
    }
}

section! {
    /// What `Auto` chooses by, besides what waits and what depends on what.
    pub struct Auto("the choice of `Auto`") {
        /// How soon a record should be in Salesforce. Defaults to 1m.
        latency: Option<Spanned<Duration>>,
        /// When less than this share of the daily calls is left, fewer calls count for more than latency.
        /// Defaults to 0.4.
        scarce: Option<Spanned<Share>>,
    }
}

section! {
    /// Jobs of Bulk API 2.0.
    pub struct Bulk("the jobs") {
        /// A job is begun when at least so many units wait. Defaults to 2000.
        least: Option<Spanned<NonZeroU32>>,
        /// About so many units are in a job at most. Defaults to 200000.
        most: Option<Spanned<NonZeroU32>>,
        /// So many of the 64 lanes a job takes at most. Defaults to 32.
        lanes: Option<Spanned<NonZeroU8>>,
        /// So long a job waits for more units before it is sealed. Defaults to 1s.
        gather: Option<Spanned<Duration>>,
        /// With so many units it waits for no more. Defaults to 10000.
        enough: Option<Spanned<NonZeroU32>>,
        /// So many units are read, hydrated and settled together. Defaults to 2000.
        page: Option<Spanned<NonZeroU32>>,
        /// The largest CSV of a job in bytes. Defaults to 100000000.
        most_bytes: Option<Spanned<NonZeroU64>>,
        /// How long after its upload a job is asked about for the first time. Defaults to 1s.
        first_poll: Option<Spanned<Duration>>,
        /// The waits between questions grow to this. Defaults to 30s.
        longest_poll: Option<Spanned<Duration>>,
        /// Whether a job that was read to its end is deleted at Salesforce. Defaults to false.
        delete: Option<Spanned<bool>>,
    }
}
