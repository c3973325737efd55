//! The line that shows a local answer under all rules.

use super::super::line::Line;
use super::{Local, Plan, Rules};
use crate::chess::Packed;
use crate::ctl::{Id, Node, Path};
use crate::limits::StopReason;

impl Local<'_> {
    /// The line to what was reached, or the moves ahead that decide; none where every move counts,
    /// or one side chooses.
    pub(in crate::check) fn line(&mut self, answer: bool) -> Result<Option<Line>, StopReason> {
        if self.rules != Rules::All {
            return Ok(None);
        }
        let mut back = None;
        let path = match self.plan {
            Plan::Ahead(formula) => self.ahead(formula, answer, 0)?,
            Plan::Together(_) => return Ok(None),
            Plan::Forever(goal, ..) => {
                let Some((mut path, repeats)) = self.kept.take() else { return Ok(None) };
                back = repeats;
                if back.is_none() {
                    let end = path[path.len() - 1];
                    path.extend(self.ahead(goal, true, end)?.into_iter().skip(1));
                }
                path
            }
            Plan::Reach(_, goal, _) => {
                let Some(end) = self.reached else { return Ok(None) };
                let mut path = vec![end];
                while path[path.len() - 1] != 0 {
                    path.push(self.before[path[path.len() - 1] as usize]);
                }
                path.reverse();
                path.extend(self.ahead(goal, true, end)?.into_iter().skip(1));
                path
            }
        };
        let path: Vec<Packed> = path.into_iter().map(|id| self.positions.at(id)).collect();
        Ok(Line::through(&path, back, self.profile))
    }

    /// The positions from one on along which a formula, whose truth is known, has it.
    fn ahead(&mut self, mut formula: Id, mut truth: bool, id: u32) -> Result<Vec<u32>, StopReason> {
        let mut path = vec![id];
        loop {
            let visit = self.visit(path[path.len() - 1]);
            match self.arena.get(formula) {
                Node::Not(a) => (formula, truth) = (a, !truth),
                node @ (Node::And(_) | Node::Or(_)) => {
                    let one_decides = matches!(node, Node::Or(_)) == truth;
                    let mut next = None;
                    for k in 0..self.arena.operands(formula).len() {
                        let operand = self.arena.operands(formula)[k];
                        let moves = matches!(self.arena.get(operand), Node::Next(..));
                        let decides = one_decides && self.truth(operand, &visit)? == truth;
                        if decides || !one_decides && moves {
                            next = Some(operand);
                            break;
                        }
                    }
                    let Some(operand) = next else { return Ok(path) };
                    formula = operand;
                }
                Node::Next(kind, a) if (kind == Path::Some) == truth => {
                    let mut next = None;
                    for &z in self.successors(&visit)? {
                        if self.truth(a, &self.visit(z))? == truth {
                            next = Some(z);
                            break;
                        }
                    }
                    let Some(z) = next else { return Ok(path) };
                    path.push(z);
                    formula = a;
                }
                _ => return Ok(path),
            }
        }
    }
}
