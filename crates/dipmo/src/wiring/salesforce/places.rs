//! Where the file says something about an org: errors of the publisher name orgs, objects and fields.

use dipmo_config::model::destinations::Destinations;
use dipmo_config::{Place, Problem};
use dipmo_sink_salesforce::{MappingProblem, SinkError};

use crate::wiring::problem::coded;

/// Places of orgs, objects and fields by their names.
#[derive(Clone, Debug, Default)]
pub(in crate::wiring) struct Places(Vec<OrgPlaces>);

#[derive(Clone, Debug)]
struct OrgPlaces {
    name: String,
    place: Place,
    login: Place,
    resilience: Option<Place>,
    objects: Vec<ObjectPlaces>,
}

#[derive(Clone, Debug)]
struct ObjectPlaces {
    name: String,
    place: Place,
    fields: Vec<(String, Place)>,
}

impl Places {
    pub(super) fn of(destinations: &Destinations) -> Self {
        let orgs = destinations.salesforce.iter().map(|(name, org)| OrgPlaces {
            name: name.to_string(),
            place: name.place,
            login: org.url.place,
            resilience: org.resilience.as_ref().map(|it| it.place),
            objects: org
                .objects
                .iter()
                .flat_map(|(name, object)| {
                    let fields = object.fields.iter().map(|(name, _)| name);
                    let own = [&object.external_id].into_iter().chain(&object.correlation);
                    let own = ObjectPlaces {
                        name: name.to_string(),
                        place: name.place,
                        fields: fields.chain(own).map(|it| (it.to_string(), it.place)).collect(),
                    };
                    let children = object.children.iter().map(|(name, child)| {
                        let fields = child.fields.iter().map(|(name, _)| name);
                        let own = [&child.external_id, &child.parent];
                        let fields = fields.chain(own).map(|it| (it.to_string(), it.place));
                        let (name, place) = (name.to_string(), name.place);
                        ObjectPlaces { name, place, fields: fields.collect() }
                    });
                    std::iter::once(own).chain(children)
                })
                .collect(),
        });
        Self(orgs.collect())
    }

    /// Where an org says how it is reached.
    pub(in crate::wiring) fn url(&self, org: &str) -> Option<Place> {
        self.0.iter().find(|known| known.name == org).map(|org| org.login)
    }

    /// An error of the publisher at what it is about.
    pub(super) fn about(&self, error: &SinkError) -> Problem {
        let org = |name: &str| self.0.iter().find(|org| org.name == name);
        let place = match error {
            SinkError::OrgInvalid { org: name, .. } => self.url(name),
            SinkError::OrgTwice { org: name } => org(name).map(|org| org.place),
            SinkError::MappingInvalid { object, field, .. } => {
                self.field(None, object, Some(field))
            }
            SinkError::Resilience(_) => self.0.iter().find_map(|org| org.resilience),
            _ => None,
        };
        coded(error, place.or_else(|| self.0.first().map(|org| org.place)))
    }

    /// What an org would refuse, where the file says it.
    pub(in crate::wiring) fn about_mapping(&self, problem: &MappingProblem) -> Problem {
        let place = self.field(Some(&problem.org), &problem.object, problem.field.as_deref());
        coded(problem, place.or_else(|| self.url(&problem.org)))
    }

    /// A field, else the object that it is of; of the first org that has the object.
    fn field(&self, org: Option<&str>, object: &str, field: Option<&str>) -> Option<Place> {
        let orgs = self.0.iter().filter(|known| org.is_none_or(|org| org == known.name));
        let found = orgs.flat_map(|org| &org.objects).filter(|known| known.name == object);
        let mut found = found.map(|known| {
            let named = known.fields.iter().find(|(name, _)| Some(name.as_str()) == field);
            (named.map(|(_, place)| *place), known.place)
        });
        let first = found.next()?;
        let field = first.0.or_else(|| found.find_map(|(field, _)| field));
        field.or(Some(first.1))
    }
}
