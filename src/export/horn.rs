//! "The owner mates" as a Horn formula: one variable for each position, the clauses of the
//! fixpoint.
//!
//! # References
//! * W. F. Dowling, J. H. Gallier, *Linear-time algorithms for testing the satisfiability of
//!   propositional Horn formulae* (1984).

use super::graph::goal;
use crate::chess::{Side, fen};
use crate::game::Game;
use crate::sat::Cnf;

/// The Horn formula of "the owner mates": variable id + 1 says that the owner can force mate from
/// position `id`. A mate is a fact; where the owner is to move one winning successor is enough,
/// else all are needed; the last clause denies it of the root. Unsatisfiable exactly when the
/// owner's Θ is satisfiable; a model is then the set of positions that the opponent keeps to, and
/// what varisat writes of a refutation is a proof of the mate.
pub fn formula(game: &Game, owner: Side) -> Cnf {
    let mut cnf = Cnf::new(game.len());
    let wins = |id: u32| id as i32 + 1;
    for id in 0..game.len() {
        let next = game.successors(id);
        if goal(game, owner, id) {
            cnf.add([wins(id)]);
        } else if game.side_to_move(id) == owner {
            next.iter().for_each(|&to| cnf.add([-wins(to), wins(id)]));
        } else if !next.is_empty() {
            cnf.add(next.iter().map(|&to| -wins(to)).chain([wins(id)]));
        }
    }
    cnf.add([-wins(0)]);
    cnf
}

/// What the formula says, for the head of a file.
pub fn title(game: &Game, owner: Side) -> String {
    format!("{owner} mates from {}: unsatisfiable exactly when that is true", fen(&game.vector(0)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MATED, STALEMATE, WALL, game};
    use super::*;
    use crate::chess::Value;
    use crate::game::Values;
    use crate::sat::{Answer, solve};

    #[test]
    fn it_decides_the_game_and_its_models_are_traps() {
        for position in [WALL, MATED, STALEMATE] {
            let game = game(position);
            let values = Values::of(&game);
            for owner in Side::ALL {
                let cnf = formula(&game, owner);
                for clause in cnf.clauses() {
                    assert!(clause.iter().filter(|&&l| l > 0).count() <= 1, "a Horn clause");
                }
                match solve(&cnf) {
                    Answer::Unsatisfiable => {
                        assert!(matches!(values.value(0), Value::Wins(side, _) if side == owner))
                    }
                    Answer::Satisfiable(model) => {
                        // What is false in a model is kept out of the owner's reach: no mate can be
                        // forced there.
                        for id in (0..game.len()).filter(|&id| !model[id as usize]) {
                            assert!(
                                !matches!(values.value(id), Value::Wins(side, _) if side == owner),
                                "{position}"
                            );
                        }
                        assert!(!model[0]);
                    }
                }
            }
        }
    }
}
