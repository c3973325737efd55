//! Who may ask, and what every answer carries.
//!
//! A page of another site that somebody has open must not use this server: the host that a request
//! names has to be ours (a name that is made to point at this machine is none), and so has the
//! origin that a browser gives.

use super::error::ApiError;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// Bytes of a request's address.
const MAX_ADDRESS: usize = 2_048;

/// What a browser says of the site that a request comes from, and why it is made.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// What a browser may do with what comes from here: nothing but our own scripts, no script in the
/// text of a page, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The names that requests may call this server by.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    /// Further names, as the user gave them.
    pub allowed: Vec<String>,
    /// Sites whose pages may ask, as the user gave them.
    pub origins: Vec<String>,
}

impl Hosts {
    /// Whether a host, perhaps with its port, is this machine. Every address written in digits is: a
    /// name that somebody else controls cannot be written so.
    fn is_own(&self, host: &str) -> bool {
        let name = without_port(host);
        let digits = name.trim_start_matches('[').trim_end_matches(']');
        let named = |own: &String| own.eq_ignore_ascii_case(name);
        digits.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.allowed.iter().any(named)
    }

    /// Looks at what a request says of itself.
    fn check(&self, request: &Request) -> Result<Option<HeaderValue>, ApiError> {
        let uri = request.uri();
        if uri.path_and_query().is_some_and(|text| text.as_str().len() > MAX_ADDRESS) {
            return Err(ApiError::too_large("the address of the request is too long"));
        }
        let headers = request.headers();
        let host = uri.authority().map(|a| a.as_str()).or_else(|| text(headers, header::HOST));
        if !host.is_some_and(|host| self.is_own(host)) {
            let error = "this server is not called so; --host NAME allows a name";
            return Err(ApiError::forbidden("bad_host", error));
        }
        let Some(origin) = headers.get(header::ORIGIN) else {
            // Without an origin a page of another site may lead here, but use nothing of ours.
            let part = text(headers, SEC_FETCH_SITE) == Some("cross-site")
                && text(headers, SEC_FETCH_MODE) != Some("navigate");
            return if part { Err(other_site()) } else { Ok(None) };
        };
        let site = origin.to_str().unwrap_or_default();
        if self.origins.iter().any(|own| own == site || own == "*") {
            return Ok(Some(origin.clone()));
        }
        // Our own page names the host that the request names.
        let own = site.strip_prefix("http://").or_else(|| site.strip_prefix("https://"));
        if own == host {
            return Ok(None);
        }
        Err(other_site())
    }
}

fn other_site() -> ApiError {
    let error = "pages of other sites may not ask; --cors ORIGIN allows one";
    ApiError::forbidden("bad_origin", error)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => {
            if name.contains(':') && !name.starts_with('[') {
                host
            } else {
                name
            }
        }
        _ => host,
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Lets a request through if it may ask, and puts on every answer what a browser has to know.
pub async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let (mut response, origin) = match hosts.check(&request) {
        Ok(origin) => (next.run(request).await, origin),
        Err(error) => (error.into_response(), None),
    };
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, fixed("DENY"));
    headers.insert("cross-origin-resource-policy", fixed("same-origin"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(fixed(POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(fixed("no-cache"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert("cross-origin-resource-policy", fixed("cross-origin"));
        headers.insert(header::VARY, fixed("Origin"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, fixed("content-type"));
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, fixed("GET, POST, DELETE"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_others_control_are_not_ours() {
        let hosts = Hosts { allowed: vec!["chess.lan".into()], ..Hosts::default() };
        for own in ["localhost", "localhost:9000", "127.0.0.1", "127.0.0.1:9000", "[::1]:9000"] {
            assert!(hosts.is_own(own), "{own}");
        }
        assert!(hosts.is_own("chess.lan:80") && hosts.is_own("192.168.1.7"));
        for other in ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:9000"] {
            assert!(!hosts.is_own(other), "{other}");
        }
    }
}
