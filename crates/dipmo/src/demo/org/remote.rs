//! An org elsewhere: what it has is asked by SOQL, and removed at the end.

use std::env;

use anyhow::{Context as _, Result, bail};
use dipmo_salesforce::{Auth, Client, ClientOptions, Composite, Method, Secret, SubRequest};
use serde_json::Value;

use super::facts::{OrgFacts, Write};
use super::{CALL_TIMEOUT, Login, OBJECTS};
use crate::demo::schema::percent;

/// Where the consumer key and secret of the connected app are.
const CLIENT_ID: &str = "DIPMO_SALESFORCE_CLIENT_ID";
const CLIENT_SECRET: &str = "DIPMO_SALESFORCE_CLIENT_SECRET";

/// How many records a deletion takes.
const AT_ONCE: usize = 200;

/// An org that we are logged in to.
pub(crate) struct Remote {
    client: Client,
    api_version: String,
    login: Login,
    prefix: String,
}

/// A record as it was found.
struct Found {
    id: String,
    key: String,
    version: i64,
}

impl Remote {
    pub(super) async fn log_in(url: &str) -> Result<Self> {
        let client_id = env::var(CLIENT_ID).unwrap_or_default();
        let client_secret = env::var(CLIENT_SECRET).unwrap_or_default();
        if client_id.is_empty() || client_secret.is_empty() {
            bail!("--salesforce needs {CLIENT_ID} and {CLIENT_SECRET} in the environment");
        }
        let (url, client_secret) = (url.to_owned(), Secret::new(client_secret));
        let login = Login { url, client_id, client_secret, is_simulated: false };
        let Login { url, client_id, client_secret, .. } = login.clone();
        let auth = Auth::ClientCredentials { client_id, client_secret };
        let options =
            ClientOptions { call_timeout: CALL_TIMEOUT * 10, ..ClientOptions::new(&url, auth) };
        let api_version = options.api_version.clone();
        let client = Client::new(options)?;
        client.login().await.context("cannot log in to Salesforce")?;
        let prefix = format!("dipmo-demo-{}-{:08x}-", std::process::id(), fastrand::u32(..));
        Ok(Self { client, api_version, login, prefix })
    }

    pub(super) fn url(&self) -> &str {
        &self.login.url
    }

    pub(super) fn login(&self) -> Login {
        self.login.clone()
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Where each record ended. How often it was written on the way is not known.
    pub(super) async fn read_back(&self) -> Result<OrgFacts> {
        let mut facts = OrgFacts::default();
        for object in OBJECTS {
            for Found { key, version, .. } in self.records(object).await? {
                let write = Write { version, is_answered: true };
                facts.writes.entry((object, key)).or_default().push(write);
            }
        }
        Ok(facts)
    }

    /// Deletes what this run made, children before their parents.
    pub(super) async fn remove(&self) -> Result<()> {
        for object in OBJECTS {
            for some in self.records(object).await?.chunks(AT_ONCE) {
                let ids: Vec<&str> = some.iter().map(|found| found.id.as_str()).collect();
                let path = format!("composite/sobjects?ids={}&allOrNone=false", ids.join(","));
                let answer = self.ask(Method::Delete, &self.below(&path)).await?;
                let deleted = |it: &Value| it["success"] == true;
                if !answer.as_array().is_some_and(|answers| answers.iter().all(deleted)) {
                    bail!("Salesforce keeps some records of {object}: {answer}");
                }
            }
        }
        Ok(())
    }

    async fn records(&self, object: &str) -> Result<Vec<Found>> {
        let query = format!(
            "SELECT Id, ExternalId__c, Version__c FROM {object} WHERE ExternalId__c LIKE '{}%'",
            self.prefix
        );
        let mut next = Some(self.below(&format!("query?q={}", percent(&query))));
        let mut found = Vec::new();
        while let Some(page) = next {
            let answer = self.ask(Method::Get, &page).await?;
            let Some(records) = answer["records"].as_array() else {
                bail!("Salesforce was asked for its {object}s and answered {answer}");
            };
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            found.extend(records.iter().map(|record| Found {
                id: text(&record["Id"]),
                key: text(&record["ExternalId__c"]),
                // Salesforce has one kind of number.
                version: record["Version__c"].as_f64().map_or(0, |version| version as i64),
            }));
            next = answer["nextRecordsUrl"].as_str().map(str::to_owned);
        }
        Ok(found)
    }

    /// A composite takes what the client has no call for.
    async fn ask(&self, method: Method, url: &str) -> Result<Value> {
        let (url, reference) = (url.to_owned(), "asked".to_owned());
        let requests = vec![SubRequest { method, url, reference, body: None }];
        let request = Composite { all_or_none: false, collate: false, requests };
        let mut answers = self.client.composite(&request).await?;
        Ok(answers.pop().map(|answer| answer.body).unwrap_or_default())
    }

    fn below(&self, path: &str) -> String {
        format!("/services/data/v{}/{path}", self.api_version)
    }
}
