//! The interface described for programs (OpenAPI 3.1).
//!
//! The addresses are those that the router is made from ([`ADDRESSES`]), the fields of requests those
//! that are read ([`super::task::REQUESTS`]); answers are described by `docs/json.schema.json`, which
//! describes `--json`, and by `schemas.json` for what the server adds. The tests hold real answers
//! against it.

use super::task::REQUESTS;
use crate::cli::check::RulesArg;
use crate::cli::formula::{FormArg, SyntaxArg, ThetaArg};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// Everything that can be asked: method, address, what it is about, and the answer's description (or
/// its media type).
pub const ADDRESSES: &[(&str, &str, &str, &str)] = &[
    ("get", "/", "The page.", "text/html"),
    ("get", "/favicon.ico", "Its picture.", "image/svg+xml"),
    ("get", "/page/{name}", "The parts of the page.", "text/javascript"),
    ("get", "/standard", "A position as tablebase clients ask for it.", "standard"),
    ("get", "/standard/mainline", "A line of best play in tables.", "mainline"),
    ("get", "/api/v1/info", "Name, version and limits.", "info"),
    ("get", "/api/v1/openapi.json", "This description.", "application/json"),
    ("get", "/api/v1/position", "A position and its legal moves, at once.", "position"),
    ("post", "/api/v1/pgn", "The positions of a game, at once.", "listing"),
    ("get", "/api/v1/jobs/{id}", "How a job stands.", "status"),
    ("delete", "/api/v1/jobs/{id}", "Stops a job.", "stopped"),
    (
        "get",
        "/api/v1/jobs/{id}/events",
        "What a job says, from the beginning.",
        "text/event-stream",
    ),
    ("get", "/api/v1/jobs/{id}/certificate", "Its certificate.", "application/octet-stream"),
    ("get", "/api/v1/jobs/{id}/text", "Its formula.", "text/plain"),
    ("get", "/api/v1/jobs/{id}/walk", "One position of its strategy.", "walk"),
    ("get", "/api/v1/jobs/{id}/export", "Its strategy in another form.", "text/plain"),
    ("post", "/api/v1/{kind}", "Begins work.", "job"),
];

/// A part of a query: name, whether it is needed, type, meaning.
type Part = (&'static str, bool, &'static str, &'static str);

/// The queries of addresses.
const QUERIES: &[(&str, &[Part])] = &[
    ("/standard", &[FEN, ("time", false, "number", "Seconds that the client waits (5).")]),
    ("/standard/mainline", &[FEN, ("time", false, "number", "Seconds that the client waits (5).")]),
    ("/api/v1/position", &[FEN]),
    (
        "/api/v1/jobs/{id}/walk",
        &[
            ("side", false, "string", "white or black: whose strategy."),
            ("fen", false, "string", "The position; the root where it is left out."),
        ],
    ),
    (
        "/api/v1/jobs/{id}/export",
        &[
            ("format", true, "string", "pgn, svg, html, text, json, dot or cert."),
            ("side", false, "string", "white or black: whose strategy."),
            ("depth", false, "integer", "Moves of the side whose strategy it is."),
            ("inline", false, "string", "Show it instead of saving it."),
        ],
    ),
    (
        "/api/v1/{kind}",
        &[("wait", false, "string", "1: answer with the result, when it is there.")],
    ),
];

const FEN: Part = ("fen", true, "string", "FEN; counters optional, underscores for spaces.");

/// What the server adds to the program's own descriptions.
const OWN: &str = include_str!("schemas.json");
/// The program's own descriptions.
const PROGRAM: &str = include_str!("../../../docs/json.schema.json");

/// The description; made once.
pub fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| description().to_string())
}

fn description() -> Value {
    let mut paths = Map::new();
    for &(method, address, about, answer) in ADDRESSES {
        if address == "/api/v1/{kind}" {
            for (kind, operation) in works(about) {
                add(&mut paths, &format!("/api/v1/{kind}"), method, operation);
            }
            continue;
        }
        add(&mut paths, address, method, operation(address, about, answer));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "theta",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Chess positions decided, with proofs.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "paths": paths,
        "components": {"schemas": schemas()},
    })
}

fn add(paths: &mut Map<String, Value>, address: &str, method: &str, operation: Value) {
    let methods = paths.entry(address).or_insert_with(|| json!({}));
    methods[method] = operation;
}

fn operation(address: &str, about: &str, answer: &str) -> Value {
    let mut operation = json!({
        "summary": about,
        "parameters": parameters(address),
        "responses": responses("200", answer),
    });
    if address == "/api/v1/pgn" {
        operation["requestBody"] = body("game");
    }
    operation
}

/// The kinds of work with what each is asked.
fn works(about: &str) -> Vec<(&'static str, Value)> {
    let kinds = REQUESTS.iter().map(|(kind, _)| *kind).chain(["verify"]);
    kinds
        .map(|kind| {
            let body = match kind {
                "verify" => json!({
                    "required": true,
                    "content": {"application/octet-stream": {}},
                }),
                kind => body(kind),
            };
            let mut responses = responses("202", "job");
            responses["200"] = json!({
                "description": "With wait=1: the result. With Accept: text/event-stream: events.",
                "content": {
                    "application/json": {"schema": refer(&format!("{kind}_result"))},
                    "text/event-stream": {},
                },
            });
            let operation = json!({
                "summary": format!("{about} `theta {}`.", command(kind)),
                "parameters": parameters("/api/v1/{kind}"),
                "requestBody": body,
                "responses": responses,
            });
            (kind, operation)
        })
        .collect()
}

/// The command that does the same.
fn command(kind: &str) -> &str {
    match kind {
        "game" => "solve --pgn",
        "explain" => "strategy --explain",
        kind => kind,
    }
}

fn body(kind: &str) -> Value {
    let fields =
        REQUESTS.iter().find(|(own, _)| *own == kind).map_or(&[][..], |(_, fields)| fields);
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, form, about) in fields {
        let inner = form.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>'));
        if inner.is_none() {
            required.push(*name);
        }
        let mut rule = rule(inner.unwrap_or(form));
        rule["description"] = about.trim().into();
        properties.insert((*name).to_string(), rule);
    }
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    });
    json!({"required": true, "content": {"application/json": {"schema": schema}}})
}

/// A type of Rust's in the words of JSON Schema.
fn rule(form: &str) -> Value {
    fn names<T: ValueEnum>() -> Value {
        let values = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        json!({"enum": values.map(|value| value.get_name().to_string()).collect::<Vec<_>>()})
    }
    match form {
        "String" => json!({"type": "string"}),
        "bool" => json!({"type": "boolean"}),
        "f64" => json!({"type": "number", "minimum": 0}),
        "u32" | "u64" | "usize" => json!({"type": "integer", "minimum": 0}),
        "ThetaArg" => names::<ThetaArg>(),
        "FormArg" => names::<FormArg>(),
        "SyntaxArg" => names::<SyntaxArg>(),
        "RulesArg" => names::<RulesArg>(),
        "Owner" => json!({"enum": ["white", "black"]}),
        other => unreachable!("a request has a field of the type {other}"),
    }
}

fn parameters(address: &str) -> Value {
    let mut list = Vec::new();
    for part in address.split('/').filter_map(|part| part.strip_prefix('{')) {
        let name = part.trim_end_matches('}');
        if name != "kind" {
            let schema = json!({"type": "string"});
            list.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
        }
    }
    let asked = QUERIES.iter().find(|(own, _)| *own == address).map_or(&[][..], |(_, list)| list);
    for (name, needed, form, about) in asked {
        list.push(json!({
            "name": name,
            "in": "query",
            "required": needed,
            "description": about,
            "schema": {"type": form},
        }));
    }
    list.into()
}

fn responses(status: &str, answer: &str) -> Value {
    let content = match answer.split_once('/') {
        Some(_) => json!({answer: {}}),
        None => json!({"application/json": {"schema": refer(answer)}}),
    };
    let error = json!({
        "description": "An error, in words and by a code.",
        "content": {"application/json": {"schema": refer("error")}},
    });
    json!({status: {"description": "The answer.", "content": content}, "default": error})
}

fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// The descriptions of all answers: the program's, and the server's which add to them.
fn schemas() -> Value {
    let program: Value = serde_json::from_str(PROGRAM).unwrap_or_default();
    let own: Map<String, Value> = serde_json::from_str(OWN).unwrap_or_default();
    let mut all = program["$defs"].as_object().cloned().unwrap_or_default();
    for (name, mut rule) in own {
        if let Some(base) = rule.as_object_mut().and_then(|rule| rule.remove("extends")) {
            let mut extended = all[base.as_str().unwrap_or_default()].clone();
            for (field, about) in rule["properties"].as_object().into_iter().flatten() {
                extended["properties"][field] = about.clone();
            }
            let more = rule["required"].as_array().cloned().unwrap_or_default();
            if let Some(required) = extended["required"].as_array_mut() {
                required.extend(more);
            }
            rule = extended;
        }
        all.insert(name, rule);
    }
    let text = Value::Object(all).to_string().replace("#/$defs/", "#/components/schemas/");
    serde_json::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_is_there() {
        let description = description();
        let text = description.to_string();
        for (at, _) in text.match_indices("#/components/schemas/") {
            let name = text[at + 21..].split('"').next().unwrap();
            assert!(description["components"]["schemas"][name].is_object(), "{name}");
        }
        assert_eq!(description["paths"]["/api/v1/solve"]["post"]["requestBody"]["required"], true);
        assert!(description["paths"].as_object().unwrap().len() > 25);
    }
}
