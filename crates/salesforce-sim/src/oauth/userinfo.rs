//! Who the owner of a token is, in the two shapes that Salesforce has for it.

use serde_json::{Value as Json, json};

use crate::oauth::sessions::Session;
use crate::schema::User;
use crate::server::answer::Answer;
use crate::server::call::Head;
use crate::server::path::value;
use crate::server::world::World;

type Form = [(String, String)];

/// `/services/oauth2/userinfo`.
pub(crate) fn userinfo(world: &World, head: &Head, form: &Form) -> Answer {
    let person = match person(world, head, form) {
        Ok(person) => person,
        Err(problem) => return refused(problem),
    };
    let mut answer = person.common();
    answer["sub"] = json!(person.url);
    answer["preferred_username"] = json!(person.user.username);
    answer["nickname"] = json!(person.nickname());
    answer["name"] = json!(person.name());
    answer["given_name"] = json!(person.user.first_name);
    answer["family_name"] = json!(person.user.last_name);
    answer["zoneinfo"] = json!("GMT");
    answer["updated_at"] = json!(person.session.opened.to_string());
    Answer::json(200, answer)
}

/// `/id/{org}/{user}`.
pub(crate) fn identity(world: &World, head: &Head, form: &Form, asked: [&str; 2]) -> Answer {
    let person = match person(world, head, form) {
        Ok(person) => person,
        Err(problem) => return refused(problem),
    };
    let same = |asked: &str, id: &str| asked.get(..15).is_some_and(|asked| id.starts_with(asked));
    if !same(asked[0], &person.org_id) {
        return refused("Wrong_Org");
    }
    if !same(asked[1], &person.user_id) {
        return refused("Bad_Id");
    }
    let mut answer = person.common();
    answer["id"] = json!(person.url);
    answer["asserted_user"] = json!(true);
    answer["username"] = json!(person.user.username);
    answer["nick_name"] = json!(person.nickname());
    answer["display_name"] = json!(person.name());
    answer["first_name"] = json!(person.user.first_name);
    answer["last_name"] = json!(person.user.last_name);
    answer["timezone"] = json!("GMT");
    answer["last_modified_date"] = json!(person.session.opened.to_string());
    Answer::json(200, answer)
}

/// The owner of a token.
struct Person<'a> {
    user: &'a User,
    session: Session,
    org_id: String,
    user_id: String,
    url: String,
    base_url: &'a str,
}

fn person<'a>(world: &'a World, head: &'a Head, form: &Form) -> Result<Person<'a>, &'static str> {
    let from_form = ["oauth_token", "access_token"].iter().find_map(|name| value(form, name));
    let token = head.token().ok().flatten().or(from_form).ok_or("Missing_OAuth_Token")?;
    let session = world.sessions.touch(token, world.clock.now()).ok_or("Bad_OAuth_Token")?;
    let user = world.schema.org.users.iter().find(|user| user.username == session.username);
    let user = user.ok_or("Bad_OAuth_Token")?;
    let (org_id, user_id) = world.ids_of(&session.username);
    let base_url = &head.base_url;
    let url = format!("{base_url}/id/{org_id}/{user_id}");
    Ok(Person { user, session, org_id, user_id, url, base_url })
}

/// These answers are texts, not JSON.
fn refused(problem: &'static str) -> Answer {
    Answer::html(403, problem)
}

impl Person<'_> {
    fn name(&self) -> String {
        let first = self.user.first_name.iter().map(String::as_str);
        first.chain([self.user.last_name.as_str()]).collect::<Vec<_>>().join(" ")
    }

    fn nickname(&self) -> &str {
        self.user.username.split('@').next().unwrap_or_default()
    }

    /// What both shapes have.
    fn common(&self) -> Json {
        let rest = format!("{}/services/data/v{{version}}/", self.base_url);
        json!({
            "user_id": self.user_id,
            "organization_id": self.org_id,
            "email": self.user.email.as_ref().unwrap_or(&self.user.username),
            "email_verified": true,
            "active": true,
            "user_type": "STANDARD",
            "language": "en_US",
            "locale": "en_US",
            "utcOffset": 0,
            "is_app_installed": true,
            "urls": {
                "rest": rest,
                "sobjects": format!("{rest}sobjects/"),
                "query": format!("{rest}query/"),
                "profile": format!("{}/{}", self.base_url, self.user_id),
            },
        })
    }
}
