//! Slices that are read from tables, or from a witness.

use super::one_sided::one_sided_by;
use super::*;
use crate::slices::store::Node;
use crate::slices::tabled::read;
use crate::slices::witness::Witness;
use pretty_assertions::assert_eq;

#[test]
fn one_sided_values_beside_tables_contradict_no_table() {
    let (tables, mut random) = (truth(), Random(0x0e55));
    let few = Arc::new(Tables::in_memory());
    few.ensure("KPvK".parse().unwrap(), &Budget::default()).unwrap();
    few.ensure("KRvKN".parse().unwrap(), &Budget::default()).unwrap();
    let mut reading = || {
        let mut store = Store::default();
        store.read_from(&few);
        vec![store]
    };
    for list in [men(None, 1, 1), men(None, 1, 0), men(Some(3), 0, 1), men_of(&[3, 5 + BLACK])] {
        let told = one_sided_by(&list, 4000, &tables, &mut random, &mut reading);
        assert!(told > 1000, "{list:?}: {told}");
    }
    // What is read is all there is to know.
    let mut store = reading().remove(0);
    let board = Board::from_fen("8/8/8/4k3/8/4K3/4P3/8 w - -").unwrap();
    let (key, place) = Key::of(&board, Side::White).unwrap();
    store.add(&key);
    assert!(store.is_held(&key, &place) && !store.is_won(&key, &place));
}

/// A store that takes others' proofs has to know the slices that these have read, or a strategy would
/// end there.
#[test]
fn what_one_store_has_read_those_that_share_know() {
    let tables = Arc::new(Tables::in_memory());
    tables.ensure("KPvK".parse().unwrap(), &Budget::default()).unwrap();
    let common = Arc::<Common>::default();
    let (mut reader, mut other) = (Store::default(), Store::default());
    reader.read_from(&tables);
    let key_of = |fen| Key::of(&Board::from_fen(fen).unwrap(), Side::White).unwrap();
    let (early, won) = key_of("8/8/3K4/3P4/3k4/8/8/8 w - -");
    let (late, held) = key_of("8/8/8/4k3/8/4K3/4P3/8 w - -");
    reader.add(&early);
    [&mut reader, &mut other].into_iter().for_each(|store| store.share(&common));
    reader.add(&late);
    other.take_all();
    assert!(other.is_won(&early, &won) && !other.is_won(&late, &held));
    assert!([early, late].iter().all(|key| other.nodes[key].exact && other.has(key)));
    assert_eq!(common.bytes(), reader.nodes.values().map(|n| bytes_of(n) + 100).sum::<u64>());
}

fn bytes_of(node: &Node) -> u64 {
    node.sets[0].as_ref().expect("read, and so kept").bytes()
}

/// Tables as a witness of positions of few men.
#[derive(Debug)]
struct Told {
    tables: Arc<Tables>,
    men: usize,
}

impl Witness for Told {
    fn outcome(&self, p: &Packed) -> Option<Outcome> {
        let known = || self.tables.value(&Board::of_legal(p), &Budget::default()).unwrap();
        (p.len() <= self.men).then(|| known().expect("few men").outcome())
    }
}

/// Random positions of two pawns, small slices being read from a witness: for either side as
/// attacker what the tables say, and without any slice of an officer where it knows the root's.
#[test]
fn slices_that_a_witness_knows_are_as_tables_say() {
    let (tables, mut random) = (truth(), Random(0x0e58));
    // With three men told a position takes half a second, for queens are against queens.
    for (men_told, positions) in [(3, 20), (4, 60)] {
        let told = Told { tables: Arc::clone(&tables), men: men_told };
        let witness: Arc<dyn Witness> = Arc::new(told);
        let mut told = 0;
        for _ in 0..positions {
            let board = random.board(&men(None, 1, 1));
            let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
            let mut analysis = Analysis::new().citing(&witness);
            analysis.pursue(&board, &Budget::default());
            let fen = crate::chess::fen(&board.vector());
            let known = analysis.known(&board);
            if known.is_some() || men_told == 4 {
                assert_eq!(known, Some(value.outcome()), "{fen}");
            }
            assert!(men_told == 3 || analysis.work().large == 0, "{fen}");
            told += u32::from(known.is_some());
        }
        assert!(3 * told > 2 * positions, "{men_told} men: {told}");
    }
}

/// A witness is asked about kings and pawns alone, also where the defender has an officer.
#[test]
fn officers_of_the_defender_are_seen_beside_a_witness() {
    let (tables, mut random) = (truth(), Random(0x0e59));
    let witness: Arc<dyn Witness> = Arc::new(Told { tables: Arc::clone(&tables), men: 4 });
    let mut told = 0;
    for _ in 0..3 {
        let board = random.board(&men_of(&[P, code::KNIGHT + BLACK]));
        let value = tables.value(&board, &Budget::default()).unwrap().expect("few men");
        let mut analysis = Analysis::new().citing(&witness);
        analysis.pursue(&board, &Budget::default());
        let known = analysis.known(&board);
        let fen = crate::chess::fen(&board.vector());
        assert!(known.is_none_or(|known| known == value.outcome()), "{fen}: {known:?}");
        told += u32::from(known.is_some());
    }
    assert!(told > 1, "{told}");
}

/// Where tables are at hand strategies end in them, and go on by them.
#[test]
fn a_winner_goes_on_by_tables() {
    let tables = Arc::new(Tables::in_memory());
    tables.ensure("KPvKP".parse().unwrap(), &Budget::default()).unwrap();
    let fen = "8/ppp5/8/PPP5/8/8/8/1k5K w - -";
    for threads in [1, 4] {
        let board = Board::from_fen(fen).unwrap();
        let mut analysis = Analysis::new().reading(&tables);
        analysis.pursue(&board, &Budget::new(Limits::default().with_threads(threads)));
        assert_eq!(analysis.known(&board), Some(Outcome::Wins(Side::White)));
        mates_by(board, &analysis);
    }
}

/// Three officers without pawns: all 2,147 million positions, for wins and for holds.
#[test]
#[ignore = "tables of five men and slices of three officers, 4 minutes in release"]
fn slices_of_three_officers_are_the_tables() {
    let (tables, mut random) = (Tables::in_memory(), Random(0x0e5a));
    for list in [[3, 4, 4 + BLACK], [3, 5, 3 + BLACK], [2, 3 + BLACK, 3 + BLACK], [3, 3, 5 + BLACK]]
    {
        let men = [&[K, K + BLACK][..], &list].concat();
        let (key, place) = Key::of(&random.board(&men), Side::White).expect("three officers");
        tables
            .ensure(Tables::material_of(&random.board(&men)).unwrap(), &Budget::default())
            .unwrap();
        let expected = read(&key, &tables).expect("the table is at hand");
        let mut prover = Prover::default();
        prover.close_below(&key, &Budget::default()).unwrap();
        let sets = |prover: &Prover, level: usize| prover.store.nodes[&key].sets[level].clone();
        assert!(sets(&prover, 0).as_deref() == Some(&expected), "wins of {list:?}");
        let mut prover = Prover::default();
        prover.hold_closed(&(key, place), &Budget::default()).unwrap();
        assert!(sets(&prover, UPPER).as_deref() == Some(&expected), "holds of {list:?}");
    }
}
