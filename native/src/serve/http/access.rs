//! Who is let in: bearer tokens, what refuses them, and where clients learn how to get one (RFC 6750, RFC 9728).

use std::{
    fmt::{self, Write as _},
    future::Future,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
};

use hyper::{
    Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_TYPE, HeaderValue, VARY,
        WWW_AUTHENTICATE,
    },
};
use selvedge_core::http::{EndpointConfig, RequestHead};
use serde_json::json;

use super::outlet::Content;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What becomes of a request with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is served, and belongs to this user: sessions are theirs alone.
    Allow(Arc<str>),
    /// The token is none, or has expired.
    Deny,
    /// The token is good, but does not cover this request; the client can ask for these scopes.
    Lacks(String),
}

/// Checks the tokens that clients show.
pub trait TokenCheck: Send + Sync + 'static {
    /// Says what becomes of a request with this token.
    fn check(&self, token: &str, head: &RequestHead<'_>) -> impl Future<Output = Verdict> + Send;
}

trait AnyCheck: Send + Sync {
    fn check<'a>(
        &'a self,
        token: &'a str,
        head: &'a RequestHead<'a>,
    ) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;
}

impl<T: TokenCheck> AnyCheck for T {
    fn check<'a>(
        &'a self,
        token: &'a str,
        head: &'a RequestHead<'a>,
    ) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        Box::pin(TokenCheck::check(self, token, head))
    }
}

/// What clients are told of a server that wants tokens (RFC 9728).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtectedResource {
    /// The URL of the server as clients know it. Default: the address that it listens on, with its path.
    pub resource: Option<String>,
    /// Who issues tokens, by their issuer URLs.
    pub authorization_servers: Vec<String>,
    /// The scopes that tokens can have.
    pub scopes: Vec<String>,
}

/// Who is let in.
#[derive(Clone)]
pub struct Access {
    check: Arc<dyn AnyCheck>,
    resource: Option<ProtectedResource>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("resource", &self.resource).finish_non_exhaustive()
    }
}

impl Access {
    /// Lets in whoever shows a token that passes this check.
    pub fn new(check: impl TokenCheck) -> Self {
        Self { check: Arc::new(check), resource: None }
    }

    /// Tells clients how to get a token.
    #[must_use]
    pub fn with_resource(self, resource: ProtectedResource) -> Self {
        Self { resource: Some(resource), ..self }
    }
}

/// What stands before the endpoint of a server that wants tokens.
pub(super) struct Gate {
    check: Arc<dyn AnyCheck>,
    config: EndpointConfig,
    /// The document on the server, where there is one.
    document: Option<String>,
    /// Where that is.
    place: String,
    /// What every challenge says.
    challenge: String,
}

impl Gate {
    pub(super) fn new(access: Access, config: &EndpointConfig, address: SocketAddr) -> Self {
        let mut config = config.clone();
        // What is served is the endpoint's; here stands who may ask for it.
        config.server = selvedge_core::ServerConfig::default();
        let path = &config.path;
        let mut challenge = String::new();
        let document = access.resource.map(|resource| {
            let url = resource.resource.unwrap_or_else(|| format!("http://{address}{path}"));
            let metadata = metadata_url(&url);
            challenge = format!(" resource_metadata=\"{}\"", quotable(&metadata));
            if !resource.scopes.is_empty() {
                let _ = write!(challenge, ", scope=\"{}\"", quotable(&resource.scopes.join(" ")));
            }
            let mut document = json!({ "resource": url, "bearer_methods_supported": ["header"] });
            if let Some(document) = document.as_object_mut() {
                if !resource.authorization_servers.is_empty() {
                    document.insert("authorization_servers".into(), resource.authorization_servers.into());
                }
                if !resource.scopes.is_empty() {
                    document.insert("scopes_supported".into(), resource.scopes.into());
                }
            }
            document.to_string()
        });
        Self { check: access.check, document, place: format!("{WELL_KNOWN}{path}"), challenge, config }
    }

    /// Returns whose a request is, or what answers it before the endpoint sees it.
    pub(super) async fn admit(
        &self,
        head: &RequestHead<'_>,
    ) -> Result<Option<Arc<str>>, Box<Response<Content>>> {
        let path = head.path();
        if let Some(document) = &self.document
            && (path == self.place || path == WELL_KNOWN)
            && head.method == "GET"
        {
            return Err(Box::new(published(document)));
        }
        // A preflight carries no token, and a load balancer has none.
        if head.method == "OPTIONS" || self.config.health_path.as_deref() == Some(path) {
            return Ok(None);
        }
        let token = match token_of(head) {
            Token::Missing => return Err(self.refuse(head, StatusCode::UNAUTHORIZED, None, None)),
            Token::Bad => {
                return Err(self.refuse(head, StatusCode::BAD_REQUEST, Some("invalid_request"), None));
            }
            Token::Given(token) => token,
        };
        match self.check.check(token, head).await {
            Verdict::Allow(principal) => Ok(Some(principal)),
            Verdict::Deny => Err(self.refuse(head, StatusCode::UNAUTHORIZED, Some("invalid_token"), None)),
            Verdict::Lacks(scope) => {
                Err(self.refuse(head, StatusCode::FORBIDDEN, Some("insufficient_scope"), Some(&scope)))
            }
        }
    }

    fn refuse(
        &self,
        head: &RequestHead<'_>,
        status: StatusCode,
        error: Option<&'static str>,
        scope: Option<&str>,
    ) -> Box<Response<Content>> {
        let mut challenge = format!("Bearer{}", self.challenge);
        if let Some(scope) = scope {
            // The scopes of this request stand for those of all.
            if let Some(at) = challenge.find(", scope=") {
                challenge.truncate(at);
            }
            push_field(&mut challenge, "scope", &quotable(scope));
        }
        if let Some(error) = error {
            push_field(&mut challenge, "error", error);
        }
        let body = json!({ "error": error.unwrap_or("unauthorized") }).to_string();
        let mut response = document(status, body);
        let headers = response.headers_mut();
        if let Ok(challenge) = HeaderValue::try_from(challenge) {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        let origin = head.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("origin"));
        let origin = origin.and_then(|(_, origin)| std::str::from_utf8(origin).ok());
        if let Some(origin) = origin.filter(|origin| self.config.allows_origin(origin))
            && let Ok(origin) = HeaderValue::try_from(origin)
        {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("www-authenticate"));
            headers.insert(VARY, HeaderValue::from_static("origin"));
        }
        Box::new(response)
    }
}

enum Token<'a> {
    Missing,
    /// There are two, or it is no text.
    Bad,
    Given(&'a str),
}

fn token_of<'a>(head: &RequestHead<'a>) -> Token<'a> {
    let mut all = head.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let Some((_, value)) = all.next() else { return Token::Missing };
    if all.next().is_some() {
        return Token::Bad;
    }
    let Ok(value) = std::str::from_utf8(value) else { return Token::Bad };
    match value.trim().split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => {
            Token::Given(token.trim())
        }
        // Other schemes are for others.
        _ => Token::Missing,
    }
}

/// Returns where the document about a resource is: its path stands behind the well-known one (RFC 9728 §3.1).
fn metadata_url(resource: &str) -> String {
    let start = resource.find("://").map_or(0, |at| at + 3);
    let end = resource.get(start..).and_then(|rest| rest.find('/')).map_or(resource.len(), |at| start + at);
    let (origin, path) = resource.split_at(end);
    format!("{origin}{WELL_KNOWN}{}", path.trim_end_matches('/'))
}

fn push_field(challenge: &mut String, name: &str, value: &str) {
    let separator = if challenge.contains('=') { "," } else { "" };
    let _ = write!(challenge, "{separator} {name}=\"{value}\"");
}

/// Leaves out what would end a quoted string.
fn quotable(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').filter(|c| !"\"\\".contains(*c)).collect()
}

/// Anybody may read how to get a token, pages too.
fn published(text: &str) -> Response<Content> {
    let mut response = document(StatusCode::OK, text.to_owned());
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

fn document(status: StatusCode, text: String) -> Response<Content> {
    let mut response = Response::new(Content::Whole(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
