use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Values at which counts and lengths go wrong.
const EDGES: [u32; 10] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// Makes inputs of others; the same ones from the same seed.
pub(crate) struct Mutator {
    random: StdRng,
    max_bytes: usize,
}

impl Mutator {
    pub(crate) fn new(seed: u64, max_bytes: usize) -> Self {
        Self { random: StdRng::seed_from_u64(seed), max_bytes }
    }

    /// An input that is one of `inputs` but for one to six changes.
    pub(crate) fn mutate(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut input = inputs.choose(&mut self.random).cloned().unwrap_or_default();
        for _ in 0..self.random.random_range(1..=6) {
            self.change(&mut input, inputs);
        }
        input.truncate(self.max_bytes);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, others: &[Vec<u8>]) {
        let at = self.random.random_range(0..=input.len());
        let length = self.random.random_range(0..=16).min(input.len() - at);
        match self.random.random_range(0..8) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << self.random.random_range(0..8);
                }
            }
            1 => input[at..at + length].fill_with(|| self.random.random()),
            2 => {
                let edge = EDGES.choose(&mut self.random).copied().unwrap_or_default();
                let bytes = if self.random.random() { edge.to_be_bytes() } else { edge.to_le_bytes() };
                let width = self.random.random_range(1..=4).min(input.len() - at);
                input[at..at + width].copy_from_slice(&bytes[4 - width..]);
            }
            3 => drop(input.drain(at..at + length)),
            4 => {
                let copy = input[at..at + length].to_vec();
                input.splice(at..at, copy);
            }
            5 => input.insert(at, self.random.random()),
            6 => input.truncate(at),
            _ => {
                let other = others.choose(&mut self.random).map(Vec::as_slice).unwrap_or_default();
                let from = self.random.random_range(0..=other.len());
                let to = self.random.random_range(from..=other.len());
                let end = self.random.random_range(at..=input.len());
                input.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
}
