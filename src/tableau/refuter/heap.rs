//! The variables that may be decided, the most active first.

/// Activities are made small again when they reach this.
const LARGE: f64 = 1e100;
/// How much more a later conflict counts than the one before it.
const GROWTH: f64 = 1.0 / 0.95;
/// Not in the heap.
const NOWHERE: u32 = u32::MAX;

/// A binary heap of variables with their activities.
#[derive(Debug)]
pub(super) struct Heap {
    order: Vec<u32>,
    places: Vec<u32>,
    activities: Vec<f64>,
    gain: f64,
}

impl Default for Heap {
    fn default() -> Self {
        Self { order: Vec::new(), places: Vec::new(), activities: Vec::new(), gain: 1.0 }
    }
}

impl Heap {
    /// Makes room for so many variables.
    pub(super) fn grow(&mut self, variables: usize) {
        self.places.resize(variables, NOWHERE);
        self.activities.resize(variables, 0.0);
    }

    pub(super) fn clear(&mut self) {
        for variable in self.order.drain(..) {
            self.places[variable as usize] = NOWHERE;
        }
    }

    pub(super) fn push(&mut self, variable: u32) {
        if self.places[variable as usize] == NOWHERE {
            self.places[variable as usize] = self.order.len() as u32;
            self.order.push(variable);
            self.rise(self.order.len() - 1);
        }
    }

    /// The most active variable of those that are wanted; the others met before it are dropped.
    pub(super) fn pop(&mut self, mut is_wanted: impl FnMut(u32) -> bool) -> Option<u32> {
        while let Some(&top) = self.order.first() {
            let last = self.order.pop().expect("the heap is not empty");
            self.places[top as usize] = NOWHERE;
            if !self.order.is_empty() {
                self.order[0] = last;
                self.places[last as usize] = 0;
                self.sink(0);
            }
            if is_wanted(top) {
                return Some(top);
            }
        }
        None
    }

    pub(super) fn bump(&mut self, variable: u32) {
        self.activities[variable as usize] += self.gain;
        if self.activities[variable as usize] > LARGE {
            self.activities.iter_mut().for_each(|a| *a /= LARGE);
            self.gain /= LARGE;
        }
        let place = self.places[variable as usize];
        if place != NOWHERE {
            self.rise(place as usize);
        }
    }

    pub(super) fn decay(&mut self) {
        self.gain *= GROWTH;
    }

    fn activity(&self, place: usize) -> f64 {
        self.activities[self.order[place] as usize]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        self.places[self.order[a] as usize] = a as u32;
        self.places[self.order[b] as usize] = b as u32;
    }

    fn rise(&mut self, mut place: usize) {
        while place > 0 && self.activity((place - 1) / 2) < self.activity(place) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let children = [2 * place + 1, 2 * place + 2];
            let larger = children
                .into_iter()
                .filter(|&c| c < self.order.len())
                .max_by(|&a, &b| self.activity(a).total_cmp(&self.activity(b)));
            match larger {
                Some(child) if self.activity(child) > self.activity(place) => {
                    self.swap(place, child);
                    place = child;
                }
                _ => return,
            }
        }
    }
}
