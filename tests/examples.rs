//! The programs of `examples/` run.

#[path = "../examples/refute.rs"]
#[expect(dead_code, reason = "its main is the program's")]
mod refute;
#[path = "../examples/strategy.rs"]
#[expect(dead_code, reason = "its main is the program's")]
mod strategy;

#[test]
fn a_strategy_is_printed() {
    strategy::run("7k/8/8/5K2/8/8/6Q1/8 w - -").unwrap();
    strategy::run("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -").unwrap();
    assert!(strategy::run("8/8 w - -").is_err());
}

#[test]
fn a_mate_is_refuted_until_there_is_one() {
    refute::run("7k/8/8/5K2/8/8/6Q1/8 w - -", 3).unwrap();
    refute::run("8/8/8/8/8/1k6/7R/K7 w - -", 2).unwrap();
    assert!(refute::run("", 1).is_err());
}
