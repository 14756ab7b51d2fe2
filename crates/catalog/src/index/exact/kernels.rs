//! Dot products of bytes and half bytes, with the widest vector instructions of the machine.
//!
//! Every kernel computes the same integers, so the choice affects only the time.

/// Bytes per step of a kernel.
const STEP: usize = 64;
/// The length of a row is a multiple of this: [`STEP`] bytes contain this many half bytes.
pub(super) const GROUP: usize = 2 * STEP;

/// The instructions to use. A value is only constructed if the machine has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// The fastest kernel of this machine.
    pub(super) fn detect() -> Self {
        Self::available().pop().unwrap_or(Self(Instructions::Portable))
    }

    /// All kernels of this machine, the fastest last.
    fn available() -> Vec<Self> {
        #[cfg_attr(
            not(any(target_arch = "x86_64", target_arch = "aarch64")),
            expect(unused_mut, reason = "other machines have only the portable kernel")
        )]
        let mut kernels = vec![Self(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                kernels.push(Self(Instructions::Avx2));
            }
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self(Instructions::Avx512Vnni));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kernels.push(Self(Instructions::Neon));
        }
        kernels
    }

    /// Name for logs and reports.
    pub(super) const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "NEON",
        }
    }

    /// The dot product of `query`, i8 `[stride]`, and each of `rows`, i8 `[n, stride]`, into `dots`, i32 `[n]`.
    ///
    /// Values must be in -127..=127; with a stride of up to 131,072 the sums fit in an i32. `query_sum` is the sum
    /// of the query's values, which the AVX-512 kernel needs.
    ///
    /// # Panics
    /// If `stride` is 0 or no multiple of [`GROUP`], or `rows` does not have n rows.
    pub(super) fn dots(self, query: &[i8], query_sum: i32, rows: &[i8], dots: &mut [i32]) {
        assert!(
            !query.is_empty() && query.len().is_multiple_of(GROUP) && rows.len() == query.len() * dots.len(),
            "BUG: rows are padded to the length of the query when they are stored"
        );
        match self.0 {
            Instructions::Portable => portable(query, rows, dots),
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has AVX2; the lengths are checked above.
            Instructions::Avx2 => unsafe { x86::avx2(query, rows, dots) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has AVX-512 F, BW and VNNI; the lengths are checked
            // above.
            Instructions::Avx512Vnni => unsafe { x86::avx512_vnni(query, query_sum, rows, dots) },
            #[cfg(target_arch = "aarch64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has NEON; the lengths are checked above.
            Instructions::Neon => unsafe { arm::neon(query, rows, dots) },
        }
    }

    /// The dot product of `query`, i8 `[stride]`, and each of `rows`, u4 `[n, stride]`, into `dots`, i32 `[n]`.
    ///
    /// Two numbers share a byte: in each group of 128, the low half of byte `j` is number `j`, and the high half is
    /// number `64 + j`. Values of the query must be in -127..=127; with a stride of up to 524,288 the sums fit in
    /// an i32.
    ///
    /// # Panics
    /// If `stride` is 0 or no multiple of [`GROUP`], or `rows` does not have n rows.
    pub(super) fn half_dots(self, query: &[i8], rows: &[u8], dots: &mut [i32]) {
        assert!(
            !query.is_empty()
                && query.len().is_multiple_of(GROUP)
                && rows.len() == query.len() / 2 * dots.len(),
            "BUG: rows are padded to the length of the query when they are stored"
        );
        match self.0 {
            Instructions::Portable => portable_half(query, rows, dots),
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has AVX2; the lengths are checked above.
            Instructions::Avx2 => unsafe { x86::avx2_half(query, rows, dots) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has AVX-512 F, BW and VNNI; the lengths are checked
            // above.
            Instructions::Avx512Vnni => unsafe { x86::avx512_vnni_half(query, rows, dots) },
            #[cfg(target_arch = "aarch64")]
            #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
            // SAFETY: `available` has checked that the machine has NEON; the lengths are checked above.
            Instructions::Neon => unsafe { arm::neon_half(query, rows, dots) },
        }
    }
}

/// Packs half bytes, each in 0..=15, in the order of [`Kernel::half_dots`]: `[stride]` to `[stride / 2]`.
pub(super) fn pack(halves: &[u8]) -> Vec<u8> {
    // Numbers 64 apart share a byte, not neighbours, so that one mask and one shift give two vectors in order.
    let groups = halves.chunks_exact(GROUP).flat_map(|group| {
        let (low, high) = group.split_at(STEP);
        low.iter().zip(high).map(|(low, high)| low | high << 4)
    });
    groups.collect()
}

fn portable_half(query: &[i8], rows: &[u8], dots: &mut [i32]) {
    for (row, dot) in rows.chunks_exact(query.len() / 2).zip(dots) {
        let groups = query.chunks_exact(GROUP).zip(row.chunks_exact(STEP));
        *dot = groups
            .map(|(query, row)| {
                let (low, high) = query.split_at(STEP);
                let pairs = low.iter().zip(high).zip(row);
                pairs
                    .map(|((&l, &h), &two)| {
                        i32::from(l) * i32::from(two & 15) + i32::from(h) * i32::from(two >> 4)
                    })
                    .sum::<i32>()
            })
            .sum();
    }
}

fn portable(query: &[i8], rows: &[i8], dots: &mut [i32]) {
    for (row, dot) in rows.chunks_exact(query.len()).zip(dots) {
        *dot = query.iter().zip(row).map(|(&q, &r)| i32::from(q) * i32::from(r)).sum();
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vectors are loaded from slices by address")]
#[expect(clippy::cast_ptr_alignment, reason = "the loads need no alignment")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_extract_epi32, _mm_shuffle_epi32,
        _mm256_abs_epi8, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128,
        _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_sign_epi8,
        _mm256_srli_epi16, _mm512_and_si512, _mm512_castsi512_si256, _mm512_dpbusd_epi32,
        _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
        _mm512_setzero_si512, _mm512_srli_epi16, _mm512_xor_si512,
    };

    use super::{GROUP, STEP};

    /// Rows that are multiplied together: a single one would wait for its own sum at each step.
    const ROWS: usize = 4;

    /// # Safety
    /// The machine has AVX2; `query` is `[stride]`, a multiple of 64, and `rows` `[n, stride]` for `dots` `[n]`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2(query: &[i8], rows: &[i8], dots: &mut [i32]) {
        const LANE: usize = 32;
        let ones = _mm256_set1_epi16(1);
        for (row, dot) in rows.chunks_exact(query.len()).zip(dots) {
            let mut sum = _mm256_setzero_si256();
            for (q, r) in query.chunks_exact(LANE).zip(row.chunks_exact(LANE)) {
                // SAFETY: both chunks are 32 bytes long, and the loads need no alignment.
                let (q, r) = unsafe {
                    (
                        _mm256_loadu_si256(q.as_ptr().cast::<__m256i>()),
                        _mm256_loadu_si256(r.as_ptr().cast::<__m256i>()),
                    )
                };
                // The instruction multiplies unsigned by signed bytes, so the sign of the query is moved to the
                // row. Two products of at most 127 * 127 fit in 16 bits.
                let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(q), _mm256_sign_epi8(r, q));
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
            }
            *dot = avx2_sum(sum);
        }
    }

    /// The sum of eight lanes.
    #[target_feature(enable = "avx2")]
    fn avx2_sum(sum: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
        _mm_cvtsi128_si32(one)
    }

    /// # Safety
    /// The machine has AVX2; `query` is `[stride]`, a multiple of 128, and `rows` `[n, stride / 2]` for `dots`
    /// `[n]`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2_half(query: &[i8], rows: &[u8], dots: &mut [i32]) {
        const LANE: usize = 32;
        let ones = _mm256_set1_epi16(1);
        let low_half = _mm256_set1_epi8(0x0f);
        for (row, dot) in rows.chunks_exact(query.len() / 2).zip(dots) {
            let mut sum = _mm256_setzero_si256();
            for (query, row) in query.chunks_exact(GROUP).zip(row.chunks_exact(STEP)) {
                // Eight products of at most 15 * 127 are summed here, which fits in 16 bits.
                let mut pairs = _mm256_setzero_si256();
                for at in [0, LANE] {
                    // SAFETY: `at + 32 <= 64`, the length of `row` and half of that of `query`; the loads need no
                    // alignment.
                    let (two, low, high) = unsafe {
                        (
                            _mm256_loadu_si256(row.as_ptr().add(at).cast::<__m256i>()),
                            _mm256_loadu_si256(query.as_ptr().add(at).cast::<__m256i>()),
                            _mm256_loadu_si256(query.as_ptr().add(STEP + at).cast::<__m256i>()),
                        )
                    };
                    let lows = _mm256_and_si256(two, low_half);
                    // There is no shift of bytes: the shift of 16 bits moves in bits of the neighbour, which the
                    // mask removes.
                    let highs = _mm256_and_si256(_mm256_srli_epi16::<4>(two), low_half);
                    pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(lows, low));
                    pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(highs, high));
                }
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
            }
            *dot = avx2_sum(sum);
        }
    }

    /// # Safety
    /// The machine has AVX-512 F, BW and VNNI; `query` is `[stride]`, a multiple of 128, and `rows`
    /// `[n, stride / 2]` for `dots` `[n]`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn avx512_vnni_half(query: &[i8], rows: &[u8], dots: &mut [i32]) {
        let width = query.len() / 2;
        let low_half = _mm512_set1_epi8(0x0f);
        // SAFETY: the caller of `load` passes an address with 64 readable bytes.
        let load = |from: *const u8| unsafe { _mm512_loadu_si512(from.cast::<__m512i>()) };
        let step = |sum: __m512i, two: __m512i, low: __m512i, high: __m512i| {
            let sum = _mm512_dpbusd_epi32(sum, _mm512_and_si512(two, low_half), low);
            _mm512_dpbusd_epi32(sum, _mm512_and_si512(_mm512_srli_epi16::<4>(two), low_half), high)
        };
        let query: *const u8 = query.as_ptr().cast();
        // Four rows share each load of the query.
        let mut quads = dots.chunks_exact_mut(ROWS);
        let mut first = 0;
        for quad in &mut quads {
            let base = &rows[first * width..(first + ROWS) * width];
            let mut sums = [_mm512_setzero_si512(); ROWS];
            for at in (0..width).step_by(STEP) {
                // SAFETY: `at + 64 <= width`, so `2 at + 128 <= stride`, and the addresses lie within `query` and
                // the row of `base`.
                let (low, high) = unsafe { (load(query.add(2 * at)), load(query.add(2 * at + STEP))) };
                for (row, sum) in sums.iter_mut().enumerate() {
                    let two = unsafe { load(base.as_ptr().add(row * width + at)) };
                    *sum = step(*sum, two, low, high);
                }
            }
            quad.copy_from_slice(&avx512_sums(sums));
            first += ROWS;
        }
        for (dot, row) in quads.into_remainder().iter_mut().zip(rows[first * width..].chunks_exact(width)) {
            let mut sum = _mm512_setzero_si512();
            for at in (0..width).step_by(STEP) {
                // SAFETY: as above.
                let (low, high, two) = unsafe {
                    (load(query.add(2 * at)), load(query.add(2 * at + STEP)), load(row.as_ptr().add(at)))
                };
                sum = step(sum, two, low, high);
            }
            *dot = _mm512_reduce_add_epi32(sum);
        }
    }

    /// The sums of sixteen lanes of four vectors; one by one they would need twice as many instructions.
    #[target_feature(enable = "avx512f")]
    fn avx512_sums(sums: [__m512i; ROWS]) -> [i32; ROWS] {
        let [a, b, c, d] = sums
            .map(|sum| _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64::<1>(sum)));
        // Pairwise sums, twice: gives four partial sums in each half.
        let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let four = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        [
            _mm_extract_epi32::<0>(four),
            _mm_extract_epi32::<1>(four),
            _mm_extract_epi32::<2>(four),
            _mm_extract_epi32::<3>(four),
        ]
    }

    /// # Safety
    /// The machine has AVX-512 F, BW and VNNI; `query` is `[stride]`, a multiple of 64, and `rows`
    /// `[n, stride]` for `dots` `[n]`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn avx512_vnni(query: &[i8], query_sum: i32, rows: &[i8], dots: &mut [i32]) {
        let stride = query.len();
        // The instruction multiplies unsigned by signed bytes. A row is made unsigned by adding 128 to each byte,
        // which flips its highest bit; the sum is then too large by 128 times the sum of the query.
        let flip = _mm512_set1_epi8(i8::MIN);
        let excess = 128 * query_sum;
        // SAFETY: the caller of `load` passes an address with 64 readable bytes.
        let load = |from: *const i8| unsafe { _mm512_loadu_si512(from.cast::<__m512i>()) };
        // Four rows at a time as above; the remaining rows, at most three, one by one.
        let mut quads = dots.chunks_exact_mut(ROWS);
        let mut first = 0;
        for quad in &mut quads {
            let base = &rows[first * stride..(first + ROWS) * stride];
            let mut sums = [_mm512_setzero_si512(); ROWS];
            for at in (0..stride).step_by(STEP) {
                // SAFETY: `at + 64 <= stride`, so the addresses lie within `query` and the row of `base`.
                let q = unsafe { load(query.as_ptr().add(at)) };
                for (row, sum) in sums.iter_mut().enumerate() {
                    let r = unsafe { load(base.as_ptr().add(row * stride + at)) };
                    *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(r, flip), q);
                }
            }
            for (dot, sum) in quad.iter_mut().zip(avx512_sums(sums)) {
                *dot = sum - excess;
            }
            first += ROWS;
        }
        for (dot, row) in quads.into_remainder().iter_mut().zip(rows[first * stride..].chunks_exact(stride)) {
            let mut sum = _mm512_setzero_si512();
            for at in (0..stride).step_by(STEP) {
                // SAFETY: `at + 64 <= stride`, the length of both.
                let (q, r) = unsafe { (load(query.as_ptr().add(at)), load(row.as_ptr().add(at))) };
                sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(r, flip), q);
            }
            *dot = _mm512_reduce_add_epi32(sum) - excess;
        }
    }
}

#[cfg(target_arch = "aarch64")]
#[expect(unsafe_code, reason = "vectors are loaded from slices by address")]
mod arm {
    use std::arch::aarch64::{
        int8x16_t, int32x4_t, vaddq_s32, vaddvq_s32, vandq_u8, vdupq_n_s32, vdupq_n_u8, vget_low_s8,
        vld1q_s8, vld1q_u8, vmull_high_s8, vmull_s8, vpadalq_s16, vreinterpretq_s8_u8, vshrq_n_u8,
    };

    use super::{GROUP, STEP};

    /// # Safety
    /// The machine has NEON; `query` is `[stride]`, a multiple of 64, and `rows` `[n, stride]` for `dots` `[n]`.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn neon(query: &[i8], rows: &[i8], dots: &mut [i32]) {
        const LANE: usize = 16;
        for (row, dot) in rows.chunks_exact(query.len()).zip(dots) {
            let (mut low, mut high) = (vdupq_n_s32(0), vdupq_n_s32(0));
            for (q, r) in query.chunks_exact(LANE).zip(row.chunks_exact(LANE)) {
                // SAFETY: both chunks are 16 bytes long.
                let (q, r) = unsafe { (vld1q_s8(q.as_ptr()), vld1q_s8(r.as_ptr())) };
                // Products of bytes fit in 16 bits, and are added in pairs to sums of 32 bits: nothing overflows.
                low = vpadalq_s16(low, vmull_s8(vget_low_s8(q), vget_low_s8(r)));
                high = vpadalq_s16(high, vmull_high_s8(q, r));
            }
            *dot = vaddvq_s32(vaddq_s32(low, high));
        }
    }

    /// # Safety
    /// The machine has NEON; `query` is `[stride]`, a multiple of 128, and `rows` `[n, stride / 2]` for `dots`
    /// `[n]`.
    #[target_feature(enable = "neon")]
    pub(super) unsafe fn neon_half(query: &[i8], rows: &[u8], dots: &mut [i32]) {
        const LANE: usize = 16;
        let low_half = vdupq_n_u8(0x0f);
        let add = |sum: int32x4_t, q: int8x16_t, r: int8x16_t| {
            let sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(q), vget_low_s8(r)));
            vpadalq_s16(sum, vmull_high_s8(q, r))
        };
        for (row, dot) in rows.chunks_exact(query.len() / 2).zip(dots) {
            let (mut lows, mut highs) = (vdupq_n_s32(0), vdupq_n_s32(0));
            for (query, row) in query.chunks_exact(GROUP).zip(row.chunks_exact(STEP)) {
                for at in (0..STEP).step_by(LANE) {
                    // SAFETY: `at + 16 <= 64`, the length of `row` and half of that of `query`.
                    let (two, low, high) = unsafe {
                        (
                            vld1q_u8(row.as_ptr().add(at)),
                            vld1q_s8(query.as_ptr().add(at)),
                            vld1q_s8(query.as_ptr().add(STEP + at)),
                        )
                    };
                    // Half bytes are at most 15, so signed and unsigned values are the same.
                    lows = add(lows, low, vreinterpretq_s8_u8(vandq_u8(two, low_half)));
                    highs = add(highs, high, vreinterpretq_s8_u8(vshrq_n_u8::<4>(two)));
                }
            }
            *dot = vaddvq_s32(vaddq_s32(lows, highs));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_half(query: &[i8], halves: &[u8]) {
        let rows = halves.chunks_exact(query.len());
        let product = |row: &[u8]| query.iter().zip(row).map(|(&q, &h)| i32::from(q) * i32::from(h)).sum();
        let expected: Vec<i32> = rows.clone().map(product).collect();
        let packed: Vec<u8> = rows.flat_map(pack).collect();
        for kernel in Kernel::available() {
            let mut found = vec![7; expected.len()];
            kernel.half_dots(query, &packed, &mut found);
            assert_eq!(found, expected, "{}", kernel.name());
        }
    }

    fn check(query: &[i8], rows: &[i8]) {
        let n_rows = rows.len() / query.len();
        let mut expected = vec![0; n_rows];
        portable(query, rows, &mut expected);
        for kernel in Kernel::available() {
            let mut found = vec![7; n_rows];
            kernel.dots(query, query.iter().map(|&q| i32::from(q)).sum(), rows, &mut found);
            assert_eq!(found, expected, "{}", kernel.name());
        }
    }

    proptest! {
        #[test]
        fn every_kernel_computes_what_the_portable_one_does(
            groups in 1_usize..5, n_rows in 0_usize..11, seed in any::<u64>()
        ) {
            let mut state = seed | 1;
            let mut byte = || {
                // Xorshift (Marsaglia, 2003): fast, and distributed evenly enough for bytes.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                ((state >> 32) % 255) as i32 as i16 - 127
            };
            let query: Vec<i8> = (0..groups * GROUP).map(|_| byte() as i8).collect();
            let rows: Vec<i8> = (0..n_rows * groups * GROUP).map(|_| byte() as i8).collect();
            check(&query, &rows);
            let halves: Vec<u8> = rows.iter().map(|byte| (byte & 15) as u8).collect();
            check_half(&query, &halves);
        }
    }

    #[test]
    fn the_largest_and_smallest_sums_fit() {
        for query in [-127_i8, -1, 0, 1, 127] {
            for row in [-127_i8, -1, 0, 1, 127] {
                check(&[query; 4096], &vec![row; 4096 * 5]);
            }
            for half in [0, 1, 15] {
                check_half(&[query; 4096], &vec![half; 4096 * 5]);
            }
        }
        let alternating: Vec<i8> = (0..256).map(|i| if i % 2 == 0 { 127 } else { -127 }).collect();
        check(&alternating, &alternating.repeat(6));
    }

    #[test]
    fn the_portable_kernel_multiplies_and_adds() {
        let query: Vec<i8> = (0..64).chain([0; 64]).collect();
        let mut dots = [0; 2];
        Kernel(Instructions::Portable).dots(&query, 2016, &[[1_i8; 128], [-2; 128]].concat(), &mut dots);
        assert_eq!(dots, [2016, -4032]);
    }
}
