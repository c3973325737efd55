//! Tests of solving a signature.

use super::*;
use crate::chess::Side;
use crate::tables::file::format::Kind;

/// No small table is deep: they are solved with both kinds of bytes and compared.
#[test]
fn the_losers_scale_says_the_same() {
    let solved = |layout: Layout, children: &HashMap<Material, Source>| {
        let layout = Arc::new(layout);
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        Arc::new(
            solve(&layout, Metric::Mate, children, None, &mut draft, &Budget::default())
                .unwrap()
                .raw
                .unwrap(),
        )
    };
    for name in ["KPvKN"] {
        let (mut children, mut deep_ones) = (HashMap::new(), HashMap::new());
        for material in name.parse::<Material>().unwrap().closure() {
            let usual = solved(Layout::new(material), &children);
            // What is on the loser's scale is read right by the tables above it.
            let deep = solved(Layout::of_deep(material), &deep_ones);
            let above = solved(Layout::new(material), &deep_ones);
            let codes = |table: &RawTable| {
                table.slices.iter().flatten().map(|s| s.sides.clone()).collect::<Vec<_>>()
            };
            assert!(codes(&above) == codes(&usual), "{material}");
            let mut drawn = 0;
            for (slice, to_move) in (0..usual.slices.len()).flat_map(|s| Side::ALL.map(|c| (s, c)))
            {
                let codes = |of: &RawTable| {
                    of.slices[slice].as_ref().unwrap().sides[to_move as usize].concat()
                };
                let scales = [&usual, &deep].map(|table| table.layout.scale(to_move));
                for (a, b) in codes(&usual).into_iter().zip(codes(&deep)) {
                    assert_eq!(
                        scales[0].decode(a),
                        scales[1].decode(b),
                        "{material}, slice {slice}"
                    );
                    drawn += u32::from(a != b);
                }
            }
            assert!(
                drawn > 0 || material.men() < 3,
                "{material}: the bytes of Black's draws differ"
            );
            children.insert(material, Source::Raw(usual));
            deep_ones.insert(material, Source::Raw(deep));
        }
    }
}

/// A table that leads to values too long for its bytes is refused where one of them is needed,
/// and solved where none is.
#[test]
fn longer_values_of_children_are_never_cut_short() {
    use crate::tables::index::value::Scale;
    let mut children = HashMap::new();
    for material in "KRvKN".parse::<Material>().unwrap().closure() {
        let layout = Arc::new(Layout::new(material));
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        let built = solve(&layout, Metric::Mate, &children, None, &mut draft, &Budget::default());
        children.insert(material, Source::Raw(Arc::new(built.unwrap().raw.unwrap())));
    }
    // KRvK with its longest wins, or losses, said to be so long or longer.
    let rook: Material = "KRvK".parse().unwrap();
    let longer = |side: Side, from: u8, to: u8| {
        let Source::Raw(table) = &children[&rook] else { unreachable!() };
        let mut layout = Layout::new(rook);
        layout.wide = true;
        let layout = Arc::new(layout);
        let mut sides = table.slices[0].as_ref().unwrap().sides.clone();
        for code in sides[side as usize].iter_mut().flatten().filter(|code| **code == from) {
            *code = to;
        }
        let slices = vec![Some(Arc::new(RawSlice { sides }))];
        Source::Raw(Arc::new(RawTable { layout, slices }))
    };
    let solved = |name: &str, rook: Source| {
        let layout = Arc::new(Layout::new(name.parse().unwrap()));
        let mut tables = children.clone();
        tables.insert("KRvK".parse().unwrap(), rook);
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        solve(&layout, Metric::Mate, &tables, None, &mut draft, &Budget::default())
            .map(|_| draft.finish().unwrap().into_bytes().unwrap())
    };
    let usual = solved("KRvKN", children[&rook].clone()).unwrap();
    let draw = Scale::USUAL.draw;
    // No longer value is there, then losses of Black's that White goes into by a capture.
    assert!(solved("KRvKN", longer(Side::Black, draw - 1, draw - 1)).unwrap() == usual);
    for plies in [8, 20] {
        let found = solved("KRvKN", longer(Side::Black, 1 + plies / 2, draw - 1));
        assert!(matches!(found, Err(TableError::TooDeep { .. })), "{plies}");
    }
}
/// The bytes of a table's file, with what is on the shelf.
fn file(layout: &Arc<Layout>, tables: &HashMap<Material, Source>, shelf: &Shelf) -> Vec<u8> {
    let mut draft = Draft::new(layout, Kind::Whole, Ok(None));
    solve(layout, Metric::Mate, tables, Some(shelf), &mut draft, &Budget::default()).unwrap();
    draft.finish().unwrap().into_bytes().unwrap()
}

/// A table put together from files of its slices, some of them damaged or missing, is the same,
/// byte for byte; so is one on the loser's scale put together from files on either.
#[test]
fn slices_stored_apart_make_the_same_table() {
    let directory = tempfile::tempdir().unwrap();
    let material: Material = "KPvKP".parse().unwrap();
    let mut children = HashMap::new();
    for child in material.closure() {
        if child == material {
            break;
        }
        let layout = Arc::new(Layout::new(child));
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        let built = solve(&layout, Metric::Mate, &children, None, &mut draft, &Budget::default());
        children.insert(child, Source::Raw(Arc::new(built.unwrap().raw.unwrap())));
    }
    let shelf = Shelf::new(directory.path(), material);
    let [usual, deep] = [Layout::new(material), Layout::of_deep(material)].map(Arc::new);
    let whole = file(&usual, &children, &shelf);
    let groups = groups(&usual);
    assert!(groups.len() > 5 && groups.iter().all(|group| shelf.path(group).is_file()));
    for (at, path) in groups.iter().map(|group| shelf.path(group)).enumerate() {
        let bytes = std::fs::read(&path).unwrap();
        match at % 4 {
            0 => std::fs::remove_file(&path).unwrap(),
            1 => std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap(),
            2 => std::fs::write(&path, [&bytes[..bytes.len() - 1], &[!bytes[0]]].concat()).unwrap(),
            _ => {}
        }
    }
    assert!(file(&usual, &children, &shelf) == whole);

    let on_losers_scale = file(&deep, &children, &shelf);
    for path in groups.iter().map(|group| shelf.path(group)).skip(1).step_by(3) {
        std::fs::remove_file(path).unwrap();
    }
    assert!(file(&deep, &children, &shelf) == on_losers_scale, "some are on the usual scale");
    let too_deep = solve_stored(&usual, &groups[1], &children, &shelf, &Budget::default());
    assert!(matches!(too_deep, Err(TableError::TooDeep { .. })), "{too_deep:?}");
    shelf.clear();
    assert!(file(&deep, &children, &shelf) == on_losers_scale);
    let missing = Shelf::new(&directory.path().join("nowhere"), material);
    let refused = solve_stored(&usual, &groups[0], &children, &missing, &Budget::default());
    assert!(matches!(refused, Err(TableError::Cache { .. })), "{refused:?}");
}
