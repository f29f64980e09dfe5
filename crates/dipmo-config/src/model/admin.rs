//! The door of operators: where it is, and what is shown behind it.

use super::http::Tls;
use crate::read::section;
use crate::{OneOrMany, Spanned, Template};

section! {
    /// An API for operators. There is none unless this is here, and nobody comes in without a token, which
    /// `dipmo token make` makes.
    pub struct Admin("the admin") {
        /// The address and the port.
        #[example("127.0.0.1:8687")]
        listen: Template,
        /// The certificate. Without it, only an address of this machine will do.
        tls: Option<Tls>,
        /// That tokens may come from other machines in plain text, as behind a proxy that ends TLS. Defaults to false.
        plain_text: Option<Spanned<bool>>,
        /// Who else says who people are, beside the tokens of dipmo's own.
        oidc: Option<Oidc>,
        /// What is shown of messages to everybody who may look. All else is masked until somebody reveals it, which
        /// the audit tells.
        show: Option<Shown>,
    }
}

section! {
    /// An issuer of OpenID Connect whose JWTs are good here.
    pub struct Oidc("the issuer of tokens") {
        /// The issuer, letter by letter as `iss` has it; https, but for this machine.
        #[example("https://login.example.com")]
        issuer: Template,
        /// What `aud` must be, or have in it: the name that the issuer has for dipmo.
        #[example("dipmo")]
        audience: Template,
        /// Where its keys are. Without it the issuer is asked for that, under `/.well-known/openid-configuration`.
        #[example("https://login.example.com/jwks")]
        jwks: Option<Template>,
        /// Tokens that were made for these clients only, by `azp` or `client_id`. Without it, those for any client.
        #[example(["operators-page"])]
        clients: OneOrMany<Template>,
        /// Who may do what. Who has several roles has the highest, and who has none may do nothing.
        roles: OidcRoles,
        /// The claim that names people, for the audit, beside `sub`. Without it, `sub` alone.
        #[example("email")]
        name: Option<Template>,
    }
}

section! {
    /// Which values of a claim give which role.
    pub struct OidcRoles("the roles of an issuer") {
        /// The claim: its name, or a JSON pointer. Its value is a text, words with blanks between, or a list.
        #[example("groups")]
        #[example("/realm_access/roles")]
        claim: Template,
        /// Values that let somebody look.
        #[example(["staff"])]
        viewer: OneOrMany<Template>,
        /// Values that let somebody act as well.
        #[example(["crm-operators"])]
        operator: OneOrMany<Template>,
        /// Values that let somebody make and revoke tokens as well.
        #[example(["platform-admins"])]
        admin: OneOrMany<Template>,
    }
}

section! {
    /// What is shown of messages without being revealed. Defaults to nothing.
    pub struct Shown("what is shown") {
        /// Places in payloads, as JSON pointers; `*` is any element of a list or field of an object.
        #[example(["/orderId", "/items/*/sku"])]
        payload: OneOrMany<Template>,
        /// Headers by name.
        #[example(["content-type"])]
        headers: OneOrMany<Template>,
        /// The keys of records. Defaults to false.
        keys: Option<Spanned<bool>>,
    }
}
