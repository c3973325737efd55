//! Pictures of models hold what the model checker says.

use super::*;
use crate::ctl::parse;
use crate::tableau::{Answer, Options, satisfiable};
use pretty_assertions::assert_eq;

/// A picture of a model of a formula.
fn picture(text: &str) -> (Kripke, Picture) {
    let mut arena = Arena::new();
    let formula = parse(&mut arena, text).unwrap();
    let budget = Budget::default();
    let answer = satisfiable(&mut arena, formula, &Options::default(), &budget).answer;
    let Answer::Satisfiable(Some(model)) = answer else { panic!("{text} has a model") };
    let picture = Picture::new(&mut arena, formula, &model, &budget).unwrap();
    (model, picture)
}

fn text(write: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const FORMULAS: [&str; 5] = [
    "p & EX (~p & AF q) & AX EX T & AG (q -> EX p)",
    "E[p U q & E[q U r]] & ~r & AG EX T",
    "AG (EF p & EF ~p & AF q) & EX ~q",
    "AX F & p",
    "AG EX p & AG EX ~p & A[p U q] & EG (p | q) & ~q",
];

#[test]
fn promises_are_kept_where_it_is_said() {
    for formula in FORMULAS {
        let (model, picture) = picture(formula);
        for (v, state) in picture.facts.states.iter().enumerate() {
            assert_eq!(state.successors, model.successors(v as u32));
            for kept in &state.kept {
                for [from, to] in &kept.edges {
                    assert!(model.successors(*from).contains(to), "{formula}: {kept:?}");
                }
                assert_eq!(kept.edges.is_empty(), kept.steps == 0, "{formula}: {kept:?}");
                assert!(kept.on_all || kept.edges.len() == kept.steps as usize, "{kept:?}");
            }
            // Every until that is true is fulfilled, and is told of.
            let untils = state.holds.iter().filter(|&&place| place > 0).filter(|&&place| {
                let text = &picture.facts.subformulas[place];
                // `EF p & q` begins so, and is none.
                let is_finally = ["AF ", "EF "].iter().any(|sign| text.starts_with(sign));
                is_finally && !text.contains(" & ")
                    || ["A[", "E["].iter().any(|sign| text.starts_with(sign))
            });
            for &place in untils {
                let text = &picture.facts.subformulas[place];
                assert!(state.kept.iter().any(|kept| kept.formula == *text), "{formula}: {text}");
            }
        }
    }
}

#[test]
fn atoms_matter_where_the_formula_hangs_on_them() {
    let (_, picture) = picture("p & (q | r) & EX ~p & AX AX F");
    let root = &picture.facts.states[picture.facts.root as usize];
    let matters = root.matters.as_ref().unwrap();
    assert!(matters.contains(&"p".to_owned()));
    // One of the two is true; the other one may be either.
    assert_eq!(matters.iter().filter(|name| *name != "p").count(), 1, "{matters:?}");
}

#[test]
fn no_box_covers_another() {
    for formula in FORMULAS {
        let (_, picture) = picture(formula);
        let states = &picture.layout.states;
        for (k, a) in states.iter().enumerate() {
            assert!(a.x - a.width / 2.0 >= 0.0 && a.x + a.width / 2.0 <= picture.layout.width);
            assert!(a.y - a.height / 2.0 >= 0.0 && a.y + a.height / 2.0 <= picture.layout.height);
            for b in &states[k + 1..] {
                let apart = (a.x - b.x).abs() >= (a.width + b.width) / 2.0
                    || (a.y - b.y).abs() >= (a.height + b.height) / 2.0;
                assert!(apart, "{formula}: {a:?} {b:?}");
            }
        }
        let edges: usize = picture.facts.states.iter().map(|state| state.successors.len()).sum();
        assert_eq!(picture.layout.edges.len(), edges);
    }
}

#[test]
fn files_name_every_state_and_edge() {
    let (model, picture) = picture("p & EX (q & EX ~q) & AX AX AX F");
    let svg = text(|out| write_svg(&picture, out));
    assert_eq!(svg.matches("class=\"edge\"").count(), model.edges());
    assert_eq!(svg.matches("data-id=").count(), model.vertices() as usize);
    assert!(svg.contains("Subformulas true here:") && svg.trim_end().ends_with("</svg>"));
    let html = text(|out| write_html(&picture, out));
    assert!(html.contains("<script type=\"application/json\"") && !html.contains("@@"));
    let aut = text(|out| write_aut(&model, |v| format!("\"{v}"), out));
    let first = aut.lines().next().unwrap();
    let (states, lines) = (model.vertices(), aut.lines().count() - 1);
    assert_eq!(first, format!("des ({}, {lines}, {states})", model.root()));
    assert!(aut.contains("(0,\"state: _0\",0)"));
}

#[test]
fn markup_in_names_stays_text() {
    let mut arena = Arena::new();
    let formula = arena.var("<script>\"&");
    let mut builder = crate::kripke::Builder::new(1);
    let root = builder.vertex();
    builder.label(root, 0);
    let model = builder.build(root);
    let picture = Picture::new(&mut arena, formula, &model, &Budget::default()).unwrap();
    for file in [text(|out| write_svg(&picture, out)), text(|out| write_html(&picture, out))] {
        assert!(!file.contains("<script>\""), "{file}");
    }
}
