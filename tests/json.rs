//! Every `--json` output is what docs/json.schema.json says, no field more, no field less.
//!
//! The keywords that the schema uses are checked here; one that this file does not know fails the
//! test, so that nothing is passed over. `tests/tools/formats.py` holds the same outputs against
//! PyPI's jsonschema.

use crate::program::{finish, theta};
use serde_json::{Value, json};
use std::path::Path;

const MATE: &str = "7k/8/5K2/8/8/8/6Q1/8 w - -";
const MATED: &str = "7k/6Q1/5K2/8/8/8/8/8 b - -";
const ROOK: &str = "8/8/8/8/8/1k6/7R/K7 b - -";
const WALL: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -";
const LOCK: &str = "2B5/8/2pNpKp1/2BkPb2/1PpP3n/P5rp/8/1N6 w - -";
const HELP: &str = "4K2n/3P1P2/4k3/3p4/8/8/8/8 b - -";
const GAME: &str = "[FEN \"7k/8/5K2/8/8/8/6Q1/8 w - - 0 1\"]\n\n1. Qa2 Kh7 2. Qg8+ *\n";

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What is wrong with a value; empty if nothing is.
pub fn faults(schema: &Value, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, wanted) in rule.as_object().expect("a rule is an object") {
        match keyword.as_str() {
            "description" | "required" | "properties" => {}
            "$ref" => {
                let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").expect("a definition");
                let definition = &schema["$defs"][name];
                assert!(definition.is_object(), "no definition `{name}`");
                found.extend(faults(schema, definition, value, at));
            }
            "anyOf" => {
                let mut options = wanted.as_array().unwrap().iter();
                if !options.any(|option| faults(schema, option, value, at).is_empty()) {
                    found.push(format!("{at}: fits no option"));
                }
            }
            "type" => {
                let one = |name: &Value| is_a(value, name.as_str().unwrap());
                if !wanted.as_array().map_or_else(|| one(wanted), |list| list.iter().any(one)) {
                    found.push(format!("{at}: {value} is not {wanted}"));
                }
            }
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                found.push(format!("{at}: {value} is not in {wanted}"))
            }
            "minimum" if value.as_f64() < wanted.as_f64() => {
                found.push(format!("{at}: {value} is too small"))
            }
            "maximum" if value.as_f64() > wanted.as_f64() => {
                found.push(format!("{at}: {value} is too large"))
            }
            "pattern"
                if !value.as_str().is_none_or(|text| matches(wanted.as_str().unwrap(), text)) =>
            {
                found.push(format!("{at}: {value} is not as {wanted}"));
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(schema, wanted, item, &format!("{at}/{k}")));
                }
            }
            "additionalProperties" | "propertyNames" => {}
            "enum" | "minimum" | "maximum" | "pattern" => {}
            other => panic!("the schema uses `{other}`, which this test does not know"),
        }
    }
    if let Some(fields) = value.as_object() {
        found.extend(field_faults(schema, rule, fields, at));
    }
    found
}

fn field_faults(
    schema: &Value,
    rule: &Value,
    fields: &serde_json::Map<String, Value>,
    at: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    for name in rule["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap())
    {
        if !fields.contains_key(name) {
            found.push(format!("{at}: `{name}` is missing"));
        }
    }
    for (name, value) in fields {
        let at = format!("{at}/{name}");
        if let Some(names) = rule.get("propertyNames") {
            found.extend(faults(schema, names, &json!(name), &at));
        }
        match (rule["properties"].get(name), rule.get("additionalProperties")) {
            (Some(rule), _) => found.extend(faults(schema, rule, value, &at)),
            (None, Some(Value::Bool(false))) => found.push(format!("{at} is not in the schema")),
            (None, Some(rule @ Value::Object(_))) => found.extend(faults(schema, rule, value, &at)),
            (None, _) => {}
        }
    }
    found
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("type `{other}`"),
    }
}

/// The patterns of the schema, each with what it means.
fn matches(pattern: &str, text: &str) -> bool {
    let square = |s: &[u8]| (b'a'..=b'h').contains(&s[0]) && (b'1'..=b'8').contains(&s[1]);
    match pattern {
        "^[0-9]+$" => !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()),
        "^[0-9a-f]{16}$" => {
            text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        }
        "^\\S+ [wb] \\S+ \\S+$" => {
            let fields: Vec<&str> = text.split(' ').collect();
            fields.len() == 4
                && matches!(fields[1], "w" | "b")
                && fields.iter().all(|f| !f.is_empty())
        }
        "^[a-h][1-8][a-h][1-8][qrbn]?$" => {
            let b = text.as_bytes();
            let promotion = matches!(b.get(4), None | Some(b'q' | b'r' | b'b' | b'n'));
            (4..=5).contains(&b.len()) && square(b) && square(&b[2..]) && promotion
        }
        other => panic!("pattern `{other}`"),
    }
}

/// Runs a command in a directory and gives its lines.
fn lines(dir: &Path, args: &[&str], input: &str) -> Vec<Value> {
    let cache = dir.join("cache");
    let mut command = theta(&["--json", "--quiet", "--cache", cache.to_str().unwrap()]);
    command.current_dir(dir).args(args);
    let ran = finish(command, input);
    assert!(matches!(ran.code, 0 | 1 | 3), "{args:?}: {} {}", ran.code, ran.err);
    ran.json()
}

#[test]
fn outputs_are_as_the_schema_says() {
    let root = env!("CARGO_MANIFEST_DIR");
    let (puzzles, syzygy) =
        (format!("{root}/positions/puzzles.csv"), format!("{root}/tests/data/syzygy"));
    let epd = format!("{MATE} dm 1; bm Qg7; id \"one\";\n{MATE} am Qg7; ce -3; pv Qg7;\n");
    let certificate = "mate.cert";
    let cases: &[(&str, &[&str], &str)] = &[
        ("solve", &["solve", MATE, "--cert", certificate], ""),
        ("solve", &["solve", WALL, "--literal"], ""),
        ("solve", &["solve", ROOK, "--positions", "0"], ""),
        ("solve", &["solve", "-"], &epd),
        ("solve", &["solve", "--puzzles", &puzzles], ""),
        ("game", &["solve", "--pgn", "-"], GAME),
        ("moves", &["moves", ROOK], ""),
        ("moves", &["moves", MATED], ""),
        ("unique", &["moves", "--unique", ROOK], ""),
        ("unique", &["moves", "--unique", "-"], &epd),
        ("check", &["check", MATE, "EX mate(black)"], ""),
        ("check", &["check", MATE, "AF mate(black)", "--rules", "white"], ""),
        ("check", &["check", MATE, "EX mate(black)", "--model", "svg"], ""),
        ("sat", &["sat", "-"], "EX p & AG EX T"),
        ("sat", &["sat", "-", "--model", "json"], "EX p & AG EX T"),
        ("sat", &["sat", "-", "--model", "dot"], "EX p & AX ~p"),
        ("sat", &["sat", "-", "--model", "svg", "--smallest"], "EX p & AX ~p | q"),
        ("sat", &["sat", "-", "--proof", "no.ref"], "EG p & AF ~p"),
        ("sat", &["sat", "-", "--core", "--each"], "spec a = EG p & AF ~p & q; spec b = r;"),
        ("sat_pair", &["sat", "-", "--pairwise"], "spec a = EG p; spec b = AF ~p;"),
        ("sat_redundant", &["sat", "-", "--redundant"], "spec a = AG p; spec b = EG (p | q);"),
        ("sat_check", &["sat", "-", "--check", "no.ref"], "EG p & AF ~p"),
        ("sat_check", &["sat", "-", "--check", "no.ref"], "EG p & AF p"),
        ("strategy", &["strategy", MATED], ""),
        ("strategy", &["strategy", ROOK, "--format", "json", "--depth", "2"], ""),
        ("strategy", &["strategy", WALL], ""),
        ("told", &["strategy", "--explain", MATE], ""),
        ("told", &["strategy", "--explain", "kbK5/pp6/1P6/8/8/8/8/R7 w - -"], ""),
        ("staged", &["strategy", "--explain", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -"], ""),
        ("stood", &["strategy", "--explain", WALL, "--svg", "pictures"], ""),
        (
            "stood",
            &["strategy", "--explain", "6k1/6p1/8/7Q/8/8/rq6/7K w - -", "--side", "white"],
            "",
        ),
        ("explained", &["strategy", "--explain", ROOK], ""),
        ("explained", &["strategy", "--explain", "--no-rules", ROOK], ""),
        ("verify", &["verify", certificate], ""),
        ("dead", &["dead", WALL, "--cert", "dead.cert"], ""),
        ("verify", &["verify", "dead.cert"], ""),
        ("dead", &["dead", MATE], ""),
        ("dead", &["dead", ROOK, "--positions", "0"], ""),
        ("prove", &["prove", "5rk1/5Npp/8/3Q4/8/8/8/7K w - -"], ""),
        ("subgoals", &["subgoals", "r3k3/8/8/1N6/8/8/5PPP/6K1 w - -"], ""),
        (
            "tree",
            &["subgoals", "8/8/8/q3k3/8/8/6K1/7R w - -", "--tree", "--every-reply", "--no-rules"],
            "",
        ),
        (
            "export",
            &[
                "export", MATE, "--format", "dimacs", "--plies", "0", "-o", "a.cnf", "--proof",
                "a.drat",
            ],
            "",
        ),
        ("export", &["export", MATE, "--format", "dimacs", "-o", "b.cnf", "--proof", "b.drat"], ""),
        ("compare", &["compare", "--syzygy", &syzygy, ROOK], ""),
        ("compare", &["compare", "--syzygy", &syzygy, WALL], ""),
        ("tables_build", &["tables", "build", "KRK"], ""),
        ("tables_one_sided", &["tables", "one-sided", "KRK", "--to", "one"], ""),
        ("tables_stats", &["tables", "stats", "KRK"], ""),
        ("tables_stats", &["tables", "stats", "KRK", "--metric", "conversion"], ""),
        ("tables_plan", &["tables", "plan", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -"], ""),
        ("squares", &["squares", "8/4k3/8/8/4P3/4K3/8/8 w - -"], ""),
        ("problem", &["problem", LOCK, "--stip", "#2", "--tries", "2", "--set"], ""),
        ("problem", &["problem", MATE, "--stip", "s#1"], ""),
        ("problem", &["problem", HELP, "--stip", "h#2", "--set"], ""),
        ("problem", &["problem", MATE, "--stip", "#3", "--positions", "0"], ""),
        ("study", &["problem", MATE, "--stip", "+"], ""),
        ("tables_list", &["tables", "list"], ""),
        ("tables_list", &["tables", "verify"], ""),
    ];
    let (schema, dir) = (schema(), tempfile::tempdir().unwrap());
    for (name, args, input) in cases {
        let rule = json!({"$ref": format!("#/$defs/{name}")});
        let found = lines(dir.path(), args, input);
        assert!(!found.is_empty(), "{args:?} prints nothing");
        for line in found {
            let faults = faults(&schema, &rule, &line, "");
            assert!(faults.is_empty(), "{args:?}: {line}\n{}", faults.join("\n"));
        }
    }
}

#[test]
fn the_schema_notices() {
    let schema = schema();
    let valid = |value: &Value| faults(&schema, &schema["$defs"]["moves"], value, "").is_empty();
    let row = json!({"uci": "b3c4", "san": "Kc4", "value": "white", "mate_plies": 29, "mate_plies_at_most": null});
    let good = json!({"fen": ROOK, "moves": [row]});
    assert!(valid(&good));
    for (pointer, wrong) in
        [("/moves/0/uci", json!("Kc4")), ("/fen", json!("8/8")), ("/moves/0/value", json!("won"))]
    {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = wrong;
        assert!(!valid(&bad), "{pointer}");
    }
    let mut more = good.clone();
    more["surplus"] = json!(1);
    assert!(!valid(&more), "a field that the schema does not name");
    let mut less = good.clone();
    less.as_object_mut().unwrap().remove("fen");
    assert!(!valid(&less), "a field that is missing");
}

#[test]
fn no_definition_hides_another() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.schema.json");
    let text = std::fs::read_to_string(path).unwrap();
    // Definitions stand four columns in; of two with one name a reader sees the last only.
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("    \"")?.split('"').next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    assert_eq!(names.len(), schema()["$defs"].as_object().unwrap().len());
}

#[test]
fn every_definition_can_be_checked() {
    // Each rule is gone through once, so that an unknown keyword or a wrong reference shows.
    let schema = schema();
    for (name, rule) in schema["$defs"].as_object().unwrap() {
        faults(&schema, rule, &json!({}), name);
    }
    for line in schema["anyOf"].as_array().unwrap() {
        faults(&schema, line, &json!({}), "");
    }
}
