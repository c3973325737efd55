//! What a job says, as server-sent events.
//!
//! # References
//! * WHATWG, *HTML Living Standard*, section "Server-sent events".

use super::error::ApiError;
use super::job::{Job, Listener};
use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How often something is sent where nothing is said: a connection that is gone shows itself then.
const ALIVE: Duration = Duration::from_secs(10);

/// A stream of what a job says after the event of this number. With `alone` the job ends when the
/// stream is left.
pub fn events(job: Arc<Job>, after: u64, alone: bool) -> Response {
    let news = job.subscribe();
    let listener = Listener::new(job, alone);
    let told = unfold(Some((listener, after, news)), |state| async {
        let (listener, after, mut news) = state?;
        loop {
            news.mark_unchanged();
            let (events, over) = listener.job.since(after);
            if let Some(last) = events.last() {
                let (number, mut text) = (last.number, String::new());
                for event in &events {
                    let (number, name, data) = (event.number, event.name, event.data.get());
                    let _ = write!(text, "id: {number}\nevent: {name}\ndata: {data}\n\n");
                }
                let ended = events.iter().any(|event| event.name == "end");
                let state = (!ended).then_some((listener, number, news));
                return Some((Ok::<_, io::Error>(Bytes::from(text)), state));
            }
            if over {
                return None;
            }
            if tokio::time::timeout(ALIVE, news.changed()).await.is_err() {
                let beat = Bytes::from_static(b": still there\n\n");
                return Some((Ok(beat), Some((listener, after, news))));
            }
        }
    });
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(told)).into_response()
}

/// Waits for the result of a job, which ends when nobody waits any more.
///
/// # Errors
/// What the job says instead of a result.
pub async fn result(job: Arc<Job>) -> Result<Arc<RawValue>, ApiError> {
    let mut news = job.subscribe();
    let listener = Listener::new(job, true);
    loop {
        news.mark_unchanged();
        let job = &listener.job;
        if let Some(error) = job.error() {
            return Err(error);
        }
        if let Some(result) = job.result() {
            return Ok(result);
        }
        if job.state().is_over() {
            return Err(ApiError::internal("the job was stopped before it had a result"));
        }
        if news.changed().await.is_err() {
            return Err(ApiError::internal("the job is gone"));
        }
    }
}
