/// Reproducible pseudorandom numbers: xorshift64* (Vigna, 2016).
///
/// For resampling and permutations, whose result must not change from run to run; never for anything secret.
#[derive(Debug, Clone)]
pub struct SeededRng(u64);

impl SeededRng {
    /// `seed` must not be 0, with which every number is 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in 0..1.
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        // The upper 53 bits, which are of better quality, and as many as the mantissa of f64 holds.
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..`limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.uniform() * limit as f64) as usize
    }

    /// Approximately standard normal: a sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A uniformly random permutation (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}
