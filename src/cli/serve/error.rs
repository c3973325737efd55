//! What is told when a request is not answered.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request has no answer: `{"error": "…", "code": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiError {
    /// For people.
    pub error: String,
    /// For programs: one of a few words, such as `bad_fen`.
    pub code: &'static str,
    #[serde(skip)]
    pub status: StatusCode,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, error: impl Into<String>) -> Self {
        Self { error: error.into(), code, status }
    }

    /// 400: what was sent cannot be read, for the reason that the code names.
    pub fn bad(code: &'static str, error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, error)
    }

    /// 403: the request comes from another site.
    pub fn forbidden(code: &'static str, error: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, error)
    }

    /// 404: nothing has this name.
    pub fn not_found(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", error)
    }

    /// 404: the job is unknown, or forgotten.
    pub fn no_job() -> Self {
        Self::new(StatusCode::NOT_FOUND, "no_job", "no such job: it is unknown, or was forgotten")
    }

    /// 405: the address is right, the method is not.
    pub fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "bad_method", "this address has other methods")
    }

    /// 408: the body did not come in time.
    pub fn slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body did not come in time")
    }

    /// 413: more than is read or kept.
    pub fn too_large(error: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error)
    }

    /// 415: the body is of another kind.
    pub fn media(wanted: &str) -> Self {
        let error = format!("this address wants a body with Content-Type: {wanted}");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_media", error)
    }

    /// 503: the queue is full.
    pub fn busy() -> Self {
        let error = "busy: the queue is full; ask again in a while";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", error)
    }

    /// 500: a mistake in theta, or a machine in trouble.
    pub fn internal(error: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json(&self);
        *response.status_mut() = self.status;
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, "5".parse().expect("a number"));
        }
        response
    }
}

/// A value as the body of an answer.
pub fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => json_text(text),
        Err(error) => ApiError::internal(error.to_string()).into_response(),
    }
}

/// JSON that is written already.
pub fn json_text(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}
