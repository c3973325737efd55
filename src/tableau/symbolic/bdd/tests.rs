//! Diagrams against truth tables.

use super::*;
use pretty_assertions::assert_eq;

/// Functions of six variables as truth tables; variable v at level 2 v.
const VARIABLES: u32 = 6;

fn variable(v: u32) -> u64 {
    (0..64).filter(|row| row >> v & 1 == 1).map(|row| 1_u64 << row).sum()
}

fn exists(table: u64, v: u32) -> u64 {
    let high = table & variable(v);
    let low = table & !variable(v);
    low | high | low << (1 << v) | high >> (1 << v)
}

fn table(bdds: &Bdds, f: Bdd, step: u32) -> u64 {
    (0..64_u64)
        .filter(|row| bdds.holds(f, |level| row >> (level / 2) & 1 == 1 && level % 2 == step))
        .map(|row| 1 << row)
        .sum()
}

struct Pair {
    bdd: Bdd,
    table: u64,
}

fn literals(bdds: &mut Bdds) -> Vec<Pair> {
    let plain = (0..VARIABLES).map(|v| (v, true));
    plain
        .chain((0..VARIABLES).map(|v| (v, false)))
        .map(|(v, sign)| match sign {
            true => Pair { bdd: bdds.variable(2 * v), table: variable(v) },
            false => Pair { bdd: bdds.negated(2 * v), table: !variable(v) },
        })
        .collect()
}

#[test]
fn operations_agree_with_truth_tables() {
    let mut bdds = Bdds::new(Budget::default());
    let mut pairs = literals(&mut bdds);
    let mut state = 99_u32;
    let mut random = |n: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % n
    };
    for round in 0..3000 {
        let (i, j) = (random(pairs.len()), random(pairs.len()));
        let (f, g) = (pairs[i].bdd, pairs[j].bdd);
        let (ft, gt) = (pairs[i].table, pairs[j].table);
        let quantified: Vec<u32> = (0..VARIABLES).filter(|_| random(3) == 0).collect();
        let new = match round % 3 {
            0 => Pair { bdd: bdds.and(f, g).unwrap(), table: ft & gt },
            1 => Pair { bdd: bdds.or(f, g).unwrap(), table: ft | gt },
            _ => {
                let levels: Vec<u32> = quantified.iter().map(|v| 2 * v).collect();
                let cube = bdds.cube(&levels);
                let table = quantified.iter().fold(ft & gt, |t, &v| exists(t, v));
                Pair { bdd: bdds.and_exists(f, g, cube).unwrap(), table }
            }
        };
        assert_eq!(table(&bdds, new.bdd, 0), new.table);
        let lowered = bdds.down(new.bdd).unwrap();
        assert_eq!(table(&bdds, lowered, 1), new.table);
        // Equal functions are equal handles.
        assert!(pairs.iter().all(|p| (p.table == new.table) == (p.bdd == new.bdd)));
        let slot = 12 + random(40);
        if slot < pairs.len() {
            pairs[slot] = new
        } else {
            pairs.push(new)
        }
        if round % 50 == 0 {
            bdds.collect(pairs.iter().map(|p| p.bdd));
        }
    }
}

#[test]
fn a_satisfying_assignment_keeps_to_what_is_forced() {
    let mut bdds = Bdds::new(Budget::default());
    let [a, b, c] = [0, 2, 4].map(|level| bdds.variable(level));
    let not_c = bdds.negated(4);
    let left = bdds.and(a, not_c).unwrap();
    let right = bdds.and(b, c).unwrap();
    let f = bdds.or(left, right).unwrap();
    let mut solve_as = |forced: [i8; 3], preferred: bool| {
        let mut trues = Vec::new();
        let forced = |level: u32| forced[level as usize / 2];
        bdds.satisfy(f, forced, |_| preferred, |level| trues.push(level)).then_some(trues)
    };
    assert_eq!(solve_as([0, 0, 0], true), Some(vec![0, 2]));
    assert_eq!(solve_as([-1, 0, 0], true), Some(vec![2, 4]));
    assert_eq!(solve_as([0, -1, 0], true), Some(vec![0]));
    let mut solve = |forced| solve_as(forced, false);
    assert_eq!(solve([0, 0, 0]), Some(vec![2, 4]));
    assert_eq!(solve([0, -1, 0]), Some(vec![0]));
    assert_eq!(solve([1, 1, -1]), Some(vec![0, 2]));
    assert_eq!(solve([-1, -1, 0]), None);
    assert_eq!(solve([-1, 0, -1]), None);
}

#[test]
fn a_budget_of_nothing_stops_the_work() {
    let limits = crate::limits::Limits::default().with_positions(0);
    let bdds = Bdds::new(Budget::new(limits));
    assert_eq!(bdds.look_at_budget(), Err(StopReason::Positions));
}
