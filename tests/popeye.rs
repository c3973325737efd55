//! Full solutions against those that the solving program Popeye has recorded of the same diagrams:
//! keys, tries with their refutations, set play, and every variation with all its answers.
//!
//! `data/popeye.json` holds facts of other people's files (`source`): for each move `[move, threats,
//! variations, refutations]`, what is empty at the end left out; a variation is `[defence, answers
//! …]`. `tries` is the most refutations of a try. Records that had visibly been shortened by hand
//! were left out.
//!
//! Two differences of convention are translated. A selfmate's defence that mates at once where the
//! play might go on is no variation to Popeye ([`is_told`]). And where the record was made without
//! threats (`silent`) or is compared at its first moves only (`depth`), the rest is cut off.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use theta_chess::Limits;
use theta_chess::chess::Position;
use theta_chess::problem::{
    Attack, Bounded, Kind, Stipulation, Variation, Wishes, prove_keys, solve,
};
use theta_chess::verify::verify;

const RECORDS: &str = include_str!("data/popeye.json");

/// Whether Popeye tells of it too.
fn is_told(variation: &Variation, kind: Kind) -> bool {
    kind != Kind::SelfPlay || !variation.reached || !variation.short
}

/// The same order on both sides: a list sorted by its text.
fn sorted(mut list: Vec<Value>) -> Value {
    list.sort_by_key(Value::to_string);
    Value::Array(list)
}

fn variations(told: &[Variation], kind: Kind, form: Form, depth: usize) -> Value {
    let of = |variation: &Variation| {
        let answers = variation.answers.iter().map(|answer| attack(answer, kind, form, depth));
        let answers = sorted(answers.collect());
        variation.defences.iter().map(|defence| json!([defence.uci, answers])).collect::<Vec<_>>()
    };
    sorted(told.iter().filter(|v| is_told(v, kind)).flat_map(of).collect())
}

fn attack(told: &Attack, kind: Kind, form: Form, depth: usize) -> Value {
    if depth == 0 {
        return json!([told.ply.uci, [], [], []]);
    }
    let threats = if form.silent { &[][..] } else { &told.threats };
    let threats = threats.iter().map(|threat| attack(threat, kind, form, depth - 1)).collect();
    let refutations = told.refutations.iter().map(|ply| json!(ply.uci)).collect();
    let variations = variations(&told.variations, kind, form, depth - 1);
    json!([told.ply.uci, sorted(threats), variations, sorted(refutations)])
}

/// What a record does not tell.
#[derive(Clone, Copy)]
struct Form {
    silent: bool,
}

/// A recorded move in the form of [`attack`].
fn recorded(value: &Value, depth: usize) -> Value {
    let parts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    if depth == 0 {
        return json!([parts[0], [], [], []]);
    }
    let part = |at: usize| parts.get(at).and_then(Value::as_array).cloned().unwrap_or_default();
    let threats = part(1).iter().map(|threat| recorded(threat, depth - 1)).collect();
    let variations = part(2).iter().map(|v| recorded_variation(v, depth - 1)).collect();
    json!([parts[0], sorted(threats), sorted(variations), sorted(part(3))])
}

fn recorded_variation(value: &Value, depth: usize) -> Value {
    let parts = value.as_array().unwrap();
    json!([parts[0], sorted(parts[1..].iter().map(|answer| recorded(answer, depth)).collect())])
}

fn read(asked: &str) -> Bounded {
    match asked.parse() {
        Ok(Stipulation::Bounded(bounded)) => bounded,
        other => panic!("{asked}: {other:?}"),
    }
}

/// Holds theta's solutions of some records against them; the number of direct mates among them.
fn compare(wanted: impl Fn(&str) -> bool) -> usize {
    let records: Vec<Value> = serde_json::from_str(RECORDS).unwrap();
    let mut count = 0;
    for record in records.iter().filter(|record| wanted(record["stip"].as_str().unwrap())) {
        let (fen, asked) = (record["fen"].as_str().unwrap(), record["stip"].as_str().unwrap());
        let position: Position = fen.parse().unwrap();
        let bounded = read(asked);
        let mut wishes = Wishes::default();
        wishes.tries = record["tries"].as_u64().unwrap() as usize;
        wishes.set_play = record["set"] == true;
        let solved = solve(&position, &bounded, &wishes, Limits::default());
        assert!(solved.complete && solved.stop.is_none());
        let form = Form { silent: record["silent"] == true };
        let depth = record["depth"].as_u64().map_or(64, |depth| depth as usize);
        let keys = solved.solutions.iter().map(|solution| solution.play.as_ref().unwrap());
        let told = keys.chain(&solved.tries).map(|told| attack(told, bounded.kind, form, depth));
        let list = |name: &str| record[name].as_array().cloned().unwrap_or_default();
        let play = list("play").iter().map(|played| recorded(played, depth)).collect();
        assert_eq!(sorted(told.collect()), sorted(play), "{fen} {asked} {}", record["name"]);
        let set = list("set_play").iter().map(|v| recorded_variation(v, 64)).collect();
        let told = variations(&solved.set_variations, bounded.kind, form, 64);
        assert_eq!(told, sorted(set), "set play: {fen} {asked} {}", record["name"]);
        count += usize::from(asked.starts_with('#'));
    }
    count
}

#[test]
fn two_movers_are_solved_as_popeye_solves_them() {
    assert_eq!(compare(|asked| matches!(asked, "#2" | "=2" | "s#1" | "s#2" | "r#2")), 27);
}

#[test]
#[ignore = "mates in three and four with all tries: some seconds in release"]
fn all_records_are_solved_as_popeye_solves_them() {
    assert_eq!(compare(|_| true), 45);
}

/// The kernel finds the recorded keys in theta's certificates, and that there are no others.
fn certify(wanted: impl Fn(&str, &Position) -> bool) -> usize {
    let records: Vec<Value> = serde_json::from_str(RECORDS).unwrap();
    let mut count = 0;
    for record in &records {
        let (fen, asked) = (record["fen"].as_str().unwrap(), record["stip"].as_str().unwrap());
        let (position, bounded) = (fen.parse::<Position>().unwrap(), read(asked));
        let kind = matches!(bounded.kind, Kind::Direct | Kind::SelfPlay);
        if !kind || !wanted(asked, &position) {
            continue;
        }
        let recorded = record["play"].as_array().unwrap().iter().filter_map(|play| {
            let refuted = play.get(3).is_some_and(|list| !list.as_array().unwrap().is_empty());
            let first = if play.is_array() { &play[0] } else { play };
            (!refuted).then(|| first.as_str().unwrap().to_string())
        });
        let mut bytes = Vec::new();
        let keys = prove_keys(&position, &bounded, Limits::default()).unwrap();
        keys.write(&mut bytes).unwrap();
        let accepted = verify(&bytes, &mut |_| true).unwrap().expect("not abandoned");
        let found = accepted.keys.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(recorded.collect::<BTreeSet<String>>(), found, "{fen} {asked}");
        assert_eq!(accepted.positions, (keys.wins.len() + keys.delays.len()) as u64);
        count += 1;
    }
    count
}

#[test]
fn keys_of_small_problems_are_certified() {
    let small = |asked: &str, position: &Position| {
        asked.ends_with(['1', '2']) && position.men() <= 9 || position.men() <= 4
    };
    assert!(certify(small) > 12);
}

#[test]
#[ignore = "mates in three and four: a minute in release"]
fn keys_of_all_problems_are_certified() {
    assert_eq!(certify(|_, _| true), 59);
}
