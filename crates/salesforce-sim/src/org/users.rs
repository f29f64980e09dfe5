//! The records that an org is born with: itself and its users.

use jiff::Timestamp;

use super::Org;
use super::id::{IdText, RecordId};
use super::record::{Record, State, Touch};
use crate::schema::{ObjectId, Schema};
use crate::value::Value;

impl Org {
    /// The user of that name.
    pub(crate) fn user(&self, username: &str) -> Option<RecordId> {
        let object = self.schema.object("User")?;
        let field = self.schema[object].field("Username")?;
        self.find(object, field, &Value::Text(username.into()))?.first().copied()
    }

    /// The user who is meant when nobody is named.
    pub(crate) fn first_user(&self) -> RecordId {
        RecordId { object: self.schema.object("User").unwrap_or(ObjectId(0)), serial: 1 }
    }

    /// The id of the org.
    pub(crate) fn organization_id(&self) -> IdText {
        let object = self.schema.object("Organization").unwrap_or(ObjectId(0));
        self.id_text(RecordId { object, serial: 1 })
    }

    pub(super) fn add_users(&mut self, now: Timestamp) {
        let schema = self.schema.clone();
        let org = &schema.org;
        let text = |text: &str| Value::Text(text.into());
        self.add(
            &schema,
            "Organization",
            org.id.as_deref(),
            [
                ("Name", text(&org.name)),
                ("OrganizationType", text(&org.organization_type)),
                ("InstanceName", text(&org.instance)),
                ("IsSandbox", Value::Bool(org.sandbox)),
            ],
            now,
        );
        for user in &org.users {
            let alias: String =
                user.username.chars().take_while(|&char| char != '@').take(8).collect();
            self.add(
                &schema,
                "User",
                user.id.as_deref(),
                [
                    ("Username", text(&user.username)),
                    ("FirstName", user.first_name.as_deref().map_or(Value::Null, text)),
                    ("LastName", text(&user.last_name)),
                    ("Email", text(user.email.as_deref().unwrap_or(&user.username))),
                    ("Alias", text(&alias)),
                ],
                now,
            );
        }
    }

    /// Adds a record that no call wrote; a field that the file took away is left out.
    fn add<const N: usize>(
        &mut self,
        schema: &Schema,
        name: &str,
        id: Option<&str>,
        values: [(&str, Value); N],
        now: Timestamp,
    ) {
        let Some(object) = schema.object(name) else { return };
        let definition = &schema[object];
        let mut all: Box<[Value]> = definition.defaults().into();
        for (name, value) in values {
            if let Some(place) = definition.field(name).and_then(|field| all.get_mut(field.slot()?))
            {
                *place = value;
            }
        }
        let touch = Touch { at: now, by: 1 };
        let table = self.table_mut(object);
        let serial = table.next_serial();
        table.push(Record {
            values: all,
            created: touch,
            modified: touch,
            state: State::Live,
            history: Vec::new(),
        });
        if let Some(id) = id.and_then(IdText::parse) {
            table.give_id(serial, id);
        }
    }
}
