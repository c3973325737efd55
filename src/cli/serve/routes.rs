//! The addresses.

use super::desk::Client;
use super::error::{ApiError, json, json_text};
use super::files;
use super::guard::{Hosts, guard};
use super::held::{Form, Held};
use super::house::House;
use super::job::{Job, Listener};
use super::task::{listing, position, read};
use super::{openapi, standard, stream};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Extension, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use theta_chess::chess::board::{Board, Position as _, move_of};
use theta_chess::chess::{Side, fen};
use tokio::time::timeout;

/// Bytes of a request's body.
pub const MAX_BODY: usize = 1 << 20;
/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(20);

type Shared = State<Arc<House>>;
type Answer = Result<Response, ApiError>;

/// Every address of the server: those that are described.
pub fn router(house: Arc<House>, hosts: Arc<Hosts>) -> Router {
    let mut router = Router::new();
    for (method, address, ..) in openapi::ADDRESSES {
        router = router.route(address, answer(method, address));
    }
    router
        .method_not_allowed_fallback(|| async { ApiError::method() })
        .fallback(|| async { ApiError::not_found("nothing has this address") })
        .layer(from_fn_with_state(hosts, guard))
        .with_state(house)
}

/// What answers at an address.
fn answer(method: &str, address: &str) -> MethodRouter<Arc<House>> {
    match (method, address) {
        (_, "/") => get(index),
        (_, "/favicon.ico") => get(favicon),
        (_, "/page/{name}") => get(page),
        (_, "/standard") => get(probe),
        (_, "/standard/mainline") => get(line),
        (_, "/api/v1/info") => get(info),
        (_, "/api/v1/openapi.json") => get(description),
        (_, "/api/v1/position") => get(about),
        (_, "/api/v1/pgn") => post(games),
        ("delete", "/api/v1/jobs/{id}") => delete(stop),
        (_, "/api/v1/jobs/{id}") => get(look),
        (_, "/api/v1/jobs/{id}/events") => get(events),
        (_, "/api/v1/jobs/{id}/certificate") => get(certificate),
        (_, "/api/v1/jobs/{id}/text") => get(text),
        (_, "/api/v1/jobs/{id}/walk") => get(walk),
        (_, "/api/v1/jobs/{id}/export") => get(export),
        (_, "/api/v1/{kind}") => post(ask),
        _ => unreachable!("nothing answers at {address}"),
    }
}

async fn index() -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], files::INDEX).into_response()
}

async fn favicon() -> Answer {
    file("icon.svg")
}

async fn page(Path(name): Path<String>) -> Answer {
    file(&name)
}

fn file(name: &str) -> Answer {
    let (media, content) =
        files::file(name).ok_or_else(|| ApiError::not_found("the page has no such file"))?;
    Ok(([(header::CONTENT_TYPE, media)], content).into_response())
}

/// The body of a request, if it is not too large and comes in time.
async fn body(request: Body) -> Result<Bytes, ApiError> {
    match timeout(BODY_TIME, to_bytes(request, MAX_BODY)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(ApiError::too_large(format!(
            "a body of more than {MAX_BODY} bytes, or one that was cut off; for large files there is \
             the program, such as `theta verify FILE`"
        ))),
        Err(_) => Err(ApiError::slow()),
    }
}

/// A query that cannot be read is told like everything else.
fn query<T>(query: Result<Query<T>, impl std::fmt::Display>) -> Result<T, ApiError> {
    match query {
        Ok(Query(query)) => Ok(query),
        Err(error) => Err(ApiError::bad("bad_request", error.to_string())),
    }
}

type Rejected = axum::extract::rejection::QueryRejection;

/// A position in the query.
#[derive(Deserialize)]
struct Fen {
    fen: String,
    /// Seconds that a client of tables waits.
    time: Option<f64>,
}

/// What is to be seen of a position at once.
#[derive(Serialize)]
struct About {
    fen: String,
    #[serde(serialize_with = "theta_chess::chess::serialize_side")]
    side: Side,
    men: usize,
    check: bool,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
    /// What is odd about it.
    remark: Option<String>,
    moves: Vec<Move>,
}

/// A legal move.
#[derive(Serialize)]
struct Move {
    uci: String,
    san: String,
    /// The position after it.
    fen: String,
}

async fn about(asked: Result<Query<Fen>, Rejected>) -> Answer {
    let root = position(&query(asked)?.fen)?;
    let board = root.board();
    let (moves, check) = (board.legal_moves(), board.in_check());
    let told = moves.iter().map(|&m| Move {
        uci: move_of(&m).to_string(),
        san: board.san(m),
        fen: fen(&board.after(m).vector()),
    });
    Ok(json(&About {
        fen: root.to_string(),
        side: board.side_to_move(),
        men: root.men(),
        check,
        checkmate: check && moves.is_empty(),
        stalemate: !check && moves.is_empty(),
        insufficient_material: board.chess().is_insufficient_material(),
        remark: crate::cli::context::oddities(&root).into_iter().next(),
        moves: told.collect(),
    }))
}

/// A position for clients of tables, who read plain text where it is none.
fn probed(asked: Result<Query<Fen>, Rejected>) -> Result<(Board, Option<f64>), ApiError> {
    let Fen { fen, time } = query(asked)?;
    Ok((position(&fen)?.board(), time))
}

/// Errors are plain text for clients of tables.
fn plain(answer: Answer) -> Response {
    answer.unwrap_or_else(|error| {
        let mut response = error.clone().into_response();
        *response.body_mut() = Body::from(error.error);
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response
    })
}

async fn probe(
    State(house): Shared,
    Extension(client): Extension<Client>,
    asked: Result<Query<Fen>, Rejected>,
) -> Response {
    plain(tablebase(house, client, asked, false).await)
}

async fn line(
    State(house): Shared,
    Extension(client): Extension<Client>,
    asked: Result<Query<Fen>, Rejected>,
) -> Response {
    plain(tablebase(house, client, asked, true).await)
}

async fn tablebase(
    house: Arc<House>,
    client: Client,
    asked: Result<Query<Fen>, Rejected>,
    mainline: bool,
) -> Answer {
    let (board, time) = probed(asked)?;
    if mainline {
        if let Some(line) = standard::mainline(&board, &house.desk)? {
            return Ok(json(&line));
        }
    } else if let Some(found) = standard::at_hand(&board, &house.desk)? {
        return Ok(json(&found));
    }
    if time.is_some_and(|time| !(0.0..=1e6).contains(&time)) {
        return Err(ApiError::bad("bad_request", "`time` is a number of seconds"));
    }
    let task = Box::new(standard::Ask { board, mainline, time });
    let job = house.take_on("standard", task, serde_json::Value::Null, client.0)?;
    Ok(json_text(stream::result(job).await?.get().to_string()))
}

async fn info(State(house): Shared) -> Response {
    let ceiling = &house.desk.ceiling;
    json(&json!({
        "name": "theta",
        "version": env!("CARGO_PKG_VERSION"),
        "limits": {
            "time": ceiling.time.as_secs_f64(),
            "memory": ceiling.memory,
            "positions": ceiling.positions,
            "body": MAX_BODY,
        },
        "syzygy": house.desk.syzygy_men(),
        "men": theta_chess::tables::MAX_MEN,
        "jobs": house.active(),
    }))
}

async fn description() -> Response {
    json_text(openapi::text())
}

async fn games(request: Request) -> Answer {
    let bytes = body(request.into_body()).await?;
    let asked = read(&bytes)?;
    // A file of thousands of games takes a while.
    let found = tokio::task::spawn_blocking(move || listing(&asked)).await;
    Ok(json(&found.map_err(|error| ApiError::internal(error.to_string()))??))
}

/// How a request wants to be answered.
#[derive(Deserialize)]
struct Manner {
    wait: Option<String>,
}

async fn ask(
    State(house): Shared,
    Path(kind): Path<String>,
    Extension(client): Extension<Client>,
    manner: Result<Query<Manner>, Rejected>,
    request: Request,
) -> Answer {
    let wait = query(manner)?.wait.is_some_and(|wait| !matches!(wait.as_str(), "0" | "false"));
    let stream = accepts_events(request.headers());
    // A page of another site can send a form or plain text without being asked for leave.
    let wanted = if kind == "verify" { "application/octet-stream" } else { "application/json" };
    if !is_media(request.headers(), wanted) {
        return Err(ApiError::media(wanted));
    }
    let bytes = body(request.into_body()).await?;
    let taken = tokio::task::spawn_blocking({
        let house = Arc::clone(&house);
        move || house.submit(&kind, &bytes, client.0)
    });
    let job = taken.await.map_err(|error| ApiError::internal(error.to_string()))??;
    if wait {
        return Ok(json_text(stream::result(job).await?.get().to_string()));
    }
    if stream {
        return Ok(stream::events(job, 0, true));
    }
    let (id, kind) = (&job.id, job.kind);
    let told = json!({"job": id, "kind": kind, "events": format!("/api/v1/jobs/{id}/events")});
    let location = format!("/api/v1/jobs/{id}");
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], json(&told)).into_response())
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/event-stream"))
}

fn is_media(headers: &HeaderMap, wanted: &str) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    given.is_some_and(|given| {
        given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted)
    })
}

/// How a job stands.
#[derive(Serialize)]
struct Status<'a> {
    job: &'a str,
    kind: &'a str,
    state: super::job::State,
    progress: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    certificate: Option<&'a RawValue>,
    error: Option<ApiError>,
    request: &'a serde_json::Value,
}

async fn look(State(house): Shared, Path(id): Path<String>) -> Answer {
    let job = house.job(&id)?;
    Ok(json(&Status {
        job: &job.id,
        kind: job.kind,
        state: job.state(),
        progress: job.progress().as_deref(),
        result: job.result().as_deref(),
        certificate: job.certificate().as_deref(),
        error: job.error(),
        request: &job.request,
    }))
}

async fn stop(State(house): Shared, Path(id): Path<String>) -> Answer {
    let job = house.job(&id)?;
    job.stop.store(true, Ordering::SeqCst);
    Ok((StatusCode::ACCEPTED, json(&json!({"job": job.id}))).into_response())
}

async fn events(State(house): Shared, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let job = house.job(&id)?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = last.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Ok(stream::events(job, after, false))
}

/// A file that is saved under this name.
fn attachment(media: &'static str, name: &str, content: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    (
        [(header::CONTENT_TYPE, media.to_string()), (header::CONTENT_DISPOSITION, disposition)],
        content,
    )
        .into_response()
}

async fn certificate(State(house): Shared, Path(id): Path<String>) -> Answer {
    let held = house.job(&id)?.held();
    match held.as_ref().map(|held| held.file()) {
        Some(file) if !file.is_empty() => {
            Ok(attachment("application/octet-stream", "theta.cert", file.to_vec()))
        }
        _ => Err(ApiError::not_found("this job has no certificate")),
    }
}

async fn text(State(house): Shared, Path(id): Path<String>) -> Answer {
    match house.job(&id)?.held().as_ref().and_then(|held| held.text()) {
        Some(text) => {
            Ok(attachment("text/plain; charset=utf-8", "theta.ctl", text.as_bytes().to_vec()))
        }
        None => Err(ApiError::not_found("this job has no text")),
    }
}

/// A side, as addresses name it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    White,
    Black,
}

impl From<Named> for Side {
    fn from(side: Named) -> Self {
        match side {
            Named::White => Self::White,
            Named::Black => Self::Black,
        }
    }
}

#[derive(Deserialize)]
struct Walk {
    side: Option<Named>,
    fen: Option<String>,
}

async fn walk(
    State(house): Shared,
    Path(id): Path<String>,
    asked: Result<Query<Walk>, Rejected>,
) -> Answer {
    let job = house.job(&id)?;
    let held = held(&job)?;
    let Walk { side, fen } = query(asked)?;
    let board = fen.map(|fen| position(&fen)).transpose()?.map(|root| root.board());
    Ok(json(&held.walk(side.map(Side::from), board.as_ref())?))
}

fn held(job: &Job) -> Result<Arc<Held>, ApiError> {
    job.held().ok_or_else(|| ApiError::not_found("this job has no strategy"))
}

#[derive(Deserialize)]
struct Export {
    format: Form,
    side: Option<Named>,
    depth: Option<u32>,
    inline: Option<String>,
}

async fn export(
    State(house): Shared,
    Path(id): Path<String>,
    asked: Result<Query<Export>, Rejected>,
) -> Answer {
    let job = house.job(&id)?;
    let held = held(&job)?;
    let Export { format, side, depth, inline } = query(asked)?;
    let permit = Arc::clone(&house.writers).acquire_owned().await;
    let _listening = Listener::new(Arc::clone(&job), false);
    let written = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let budget = house.desk.budget(Default::default(), Arc::default());
        held.export(format, side.map(Side::from), depth.filter(|&n| n > 0), budget)
    });
    let content = written.await.map_err(|error| ApiError::internal(error.to_string()))??;
    let (media, ending) = format.media();
    let mut response = attachment(media, &format!("theta.{ending}"), content);
    if inline.is_some() {
        response.headers_mut().remove(header::CONTENT_DISPOSITION);
    }
    Ok(response)
}
