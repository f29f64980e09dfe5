//! An org: how to reach it, who logs in, and its objects.

use dipmo_config::model::salesforce as model;
use dipmo_config::{Declared, Name, Problems};
use dipmo_salesforce::{Auth, ClientOptions, Secret};
use dipmo_sink_salesforce::{OrgOptions, ResilienceOptions};

use super::{DEFAULT_ORG, mapping, resilience};
use crate::wiring::asked::set;

/// The options of an org. Its resilience is that of all orgs, with what it says itself.
pub(super) fn options(
    name: &Name,
    org: &model::Org,
    all: ResilienceOptions,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<OrgOptions> {
    let model::Org {
        place: _,
        url,
        login,
        api_version,
        call_timeout,
        transfer_timeout,
        connect_timeout,
        gzip,
        extra_roots,
        user_agent,
        resilience: own,
        objects,
    } = org;
    let mut client = ClientOptions::new(url.expose(), auth(login));
    if let Some(version) = api_version {
        version.expose().clone_into(&mut client.api_version);
    }
    set(&mut client.call_timeout, call_timeout.as_ref());
    set(&mut client.transfer_timeout, transfer_timeout.as_ref());
    set(&mut client.connect_timeout, connect_timeout.as_ref());
    set(&mut client.gzip, gzip.as_ref());
    client.extra_roots = extra_roots.iter().map(|root| root.expose().to_owned()).collect();
    if let Some(agent) = user_agent {
        agent.expose().clone_into(&mut client.user_agent);
    }
    let before = problems.len();
    let mappings = objects
        .iter()
        .filter_map(|(name, object)| mapping::of_object(name, object, declared, problems));
    let mappings: Vec<_> = mappings.collect();
    let mut options = OrgOptions::new(client, mappings);
    if name.as_str() != DEFAULT_ORG {
        options = options.named(name);
    }
    options.resilience = own.as_ref().map(|own| {
        let mut resilience = all;
        resilience::set_all(&mut resilience, own);
        resilience
    });
    (problems.len() == before).then_some(options)
}

fn auth(login: &model::Login) -> Auth {
    match login {
        model::Login::ClientCredentials(model::ClientCredentials { place: _, id, secret }) => {
            Auth::ClientCredentials {
                client_id: id.expose().to_owned(),
                client_secret: Secret::new(secret.expose()),
            }
        }
        model::Login::Jwt(model::Jwt { place: _, id, username, audience, private_key }) => {
            Auth::Jwt {
                client_id: id.expose().to_owned(),
                username: username.expose().to_owned(),
                audience: audience.as_ref().map(|it| it.expose().to_owned()),
                private_key: Secret::new(private_key.expose()),
            }
        }
    }
}
