use super::*;
use pretty_assertions::assert_eq;

/// 0 → 1 ⇄ 2, 1 → 3 (a dead end); symbol 65 at 2.
fn sample() -> Kripke {
    let mut b = Builder::new(1);
    for _ in 0..4 {
        b.vertex();
    }
    for (from, to) in [(1, 3), (0, 1), (1, 2), (2, 1), (0, 1)] {
        b.edge(from, to);
    }
    b.label(2, 65);
    b.build(0)
}

#[test]
fn rows_and_labels() {
    let k = sample();
    assert_eq!((k.vertices(), k.edges(), k.symbols()), (4, 4, 66));
    assert_eq!(k.successors(1), [2, 3]);
    assert_eq!(k.successors(3), [] as [u32; 0]);
    assert_eq!(k.predecessors(1), [0, 2]);
    assert_eq!(k.true_symbols(2).collect::<Vec<_>>(), [65]);
    assert_eq!(k.vertices_with(65).iter().collect::<Vec<_>>(), [2]);
    assert!(!k.holds(2, 1000));
}

#[test]
fn components_come_below_first() {
    let mut components = sample().components();
    components.iter_mut().for_each(|c| c.sort_unstable());
    assert_eq!(components, [vec![3], vec![1, 2], vec![0]]);
}

#[test]
fn set_algebra() {
    let mut a = VertexSet::empty(70);
    assert!(a.insert(69) && !a.insert(69) && a.insert(3));
    let mut b = a.clone();
    b.complement();
    assert_eq!(b.len(), 68);
    b.insert(3);
    a.subtract(&b);
    assert_eq!(a.iter().collect::<Vec<_>>(), [69]);
    a.unite(&b);
    assert_eq!(a, VertexSet::full(70));
    a.intersect(&b);
    assert_eq!(a, b);
}

#[test]
fn dot_escapes_labels_and_marks_the_root() {
    let mut out = Vec::new();
    write_dot(&sample(), |v| format!("\"{v}\""), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(r#"0 [ label = "\"0\"" peripheries = 2]"#), "{text}");
    assert!(text.contains("1 -> 3"), "{text}");
    assert!(!text.contains("3 ->"), "{text}");
}
