//! Work is counted, and from time to time the caller is asked whether to go on.

/// Counts work.
pub(crate) struct Meter<'a> {
    left: u64,
    /// Entries checked so far.
    pub(crate) done: u64,
    go_on: &'a mut dyn FnMut(u64) -> bool,
}

/// The caller did not want to go on.
pub(crate) struct Abandoned;

/// Work between two questions: a few milliseconds.
const WORK: u64 = 4096;
/// What generating moves counts.
const MOVES: u64 = 4;

impl<'a> Meter<'a> {
    pub(crate) fn new(go_on: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Self { left: 0, done: 0, go_on }
    }

    pub(crate) fn spend(&mut self, work: u64) -> Result<(), Abandoned> {
        if work < self.left {
            self.left -= work;
            return Ok(());
        }
        self.left = WORK;
        if (self.go_on)(self.done) { Ok(()) } else { Err(Abandoned) }
    }

    /// Asks at once: for steps that take long.
    pub(crate) fn ask(&mut self) -> Result<(), Abandoned> {
        self.spend(WORK)
    }

    pub(crate) fn moves(&mut self) -> Result<(), Abandoned> {
        self.spend(MOVES)
    }
}
