//! AVX2 with FMA: nearly all x86 processors since 2013; also with AVX-VNNI, in desktop processors since 2021; and
//! the 256-bit vectors of AVX-512.

use std::arch::x86_64::{
    __m256, __m256i, _MM_HINT_T1, _mm_add_ps, _mm_add_ss, _mm_castsi128_pd, _mm_cvtss_f32, _mm_loadl_epi64,
    _mm_loadu_si128, _mm_movehdup_ps, _mm_movehl_ps, _mm_prefetch, _mm_storeh_pd, _mm_storel_epi64,
    _mm_storeu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_castps256_ps128, _mm256_castsi256_si128,
    _mm256_cvtepi16_epi32, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32, _mm256_cvtps_epi32,
    _mm256_dpbusd_avx_epi32, _mm256_dpbusd_epi32, _mm256_extractf128_ps, _mm256_extracti128_si256,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_max_ps, _mm256_min_ps, _mm256_packs_epi32, _mm256_packus_epi16, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi32,
    _mm256_storeu_ps, _mm256_storeu_si256, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16, _mm256_unpacklo_epi8,
    _mm256_unpacklo_epi16,
};

use super::{Kernel, Simd};

/// The same vectors, with different instructions for the sum of products.
macro_rules! vectors_of_256_bits {
    ($name:ident, $features:literal, $dot:expr, $sums_in_16_bits:literal) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        unsafe impl Simd for $name {
            type Int = __m256i;
            type Float = __m256;
            type Half = Self;

            const LANES: usize = 8;
            const WIDE: bool = false;
            const SUMS_IN_16_BITS: bool = $sums_in_16_bits;

            #[inline]
            unsafe fn run<K: Kernel>(kernel: K) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<K: Kernel>(kernel: K) {
                    unsafe { kernel.run::<$name>() }
                }
                unsafe { compiled(kernel) }
            }

            #[inline(always)]
            unsafe fn load(from: *const u8) -> __m256i {
                unsafe { _mm256_loadu_si256(from.cast()) }
            }

            #[inline(always)]
            fn prefetch(from: *const u8) {
                unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
            }

            #[inline(always)]
            unsafe fn store(to: *mut u8, value: __m256i) {
                unsafe { _mm256_storeu_si256(to.cast(), value) }
            }

            #[inline(always)]
            unsafe fn store_first(to: *mut u8, value: __m256i, n_bytes: usize) {
                unsafe {
                    if n_bytes == 32 {
                        _mm256_storeu_si256(to.cast(), value);
                    } else {
                        _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(value));
                    }
                }
            }

            #[inline(always)]
            unsafe fn repeat(from: *const u8) -> __m256i {
                unsafe { _mm256_set1_epi32(from.cast::<i32>().read_unaligned()) }
            }

            #[inline(always)]
            unsafe fn repeat_byte(byte: u8) -> __m256i {
                unsafe { _mm256_set1_epi8(byte.cast_signed()) }
            }

            #[inline(always)]
            unsafe fn dot(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
                unsafe { $dot(sum, a, b) }
            }

            #[inline(always)]
            unsafe fn pairs(a: __m256i, b: __m256i) -> __m256i {
                unsafe { _mm256_maddubs_epi16(a, b) }
            }

            #[inline(always)]
            unsafe fn add_halves(a: __m256i, b: __m256i) -> __m256i {
                unsafe { _mm256_add_epi16(a, b) }
            }

            #[inline(always)]
            unsafe fn add_pairs(sum: __m256i, pairs: __m256i) -> __m256i {
                unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))) }
            }

            #[inline(always)]
            unsafe fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
                unsafe {
                    let (ab_low, ab_high) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
                    let (cd_low, cd_high) = (_mm256_unpacklo_epi8(c, d), _mm256_unpackhi_epi8(c, d));
                    [
                        _mm256_unpacklo_epi16(ab_low, cd_low),
                        _mm256_unpackhi_epi16(ab_low, cd_low),
                        _mm256_unpacklo_epi16(ab_high, cd_high),
                        _mm256_unpackhi_epi16(ab_high, cd_high),
                    ]
                }
            }

            #[inline(always)]
            unsafe fn pack_halves(a: __m256i, b: __m256i) -> __m256i {
                unsafe { _mm256_packs_epi32(a, b) }
            }

            #[inline(always)]
            unsafe fn pack_bytes(a: __m256i, b: __m256i) -> __m256i {
                unsafe { _mm256_packus_epi16(a, b) }
            }

            #[inline(always)]
            unsafe fn store_rows([first, second, third, fourth]: [*mut u8; 4], packed: __m256i, _all: bool) {
                unsafe {
                    // Each 16 bytes have four bytes of each row.
                    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                    let rows = _mm256_permutevar8x32_epi32(packed, order);
                    let (low, high) = (_mm256_castsi256_si128(rows), _mm256_extracti128_si256::<1>(rows));
                    _mm_storel_epi64(first.cast(), low);
                    _mm_storeh_pd(second.cast(), _mm_castsi128_pd(low));
                    _mm_storel_epi64(third.cast(), high);
                    _mm_storeh_pd(fourth.cast(), _mm_castsi128_pd(high));
                }
            }

            #[inline(always)]
            unsafe fn store_two_rows([first, second]: [*mut u8; 2], [[a, b], [c, d]]: [[__m256i; 2]; 2]) {
                unsafe {
                    let packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
                    // Each 16 bytes have four bytes of a, b, c and d.
                    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                    let rows = _mm256_permutevar8x32_epi32(packed, order);
                    _mm_storeu_si128(first.cast(), _mm256_castsi256_si128(rows));
                    _mm_storeu_si128(second.cast(), _mm256_extracti128_si256::<1>(rows));
                }
            }

            #[inline(always)]
            unsafe fn load_float(from: *const f32) -> __m256 {
                unsafe { _mm256_loadu_ps(from) }
            }

            #[inline(always)]
            unsafe fn store_float(to: *mut f32, value: __m256) {
                unsafe { _mm256_storeu_ps(to, value) }
            }

            #[inline(always)]
            unsafe fn repeat_float(value: f32) -> __m256 {
                unsafe { _mm256_set1_ps(value) }
            }

            #[inline(always)]
            unsafe fn mul_add(a: __m256, b: __m256, c: __m256) -> __m256 {
                unsafe { _mm256_fmadd_ps(a, b, c) }
            }

            #[inline(always)]
            unsafe fn clamp(value: __m256, low: f32, high: f32) -> __m256 {
                unsafe { _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(low)), _mm256_set1_ps(high)) }
            }

            #[inline(always)]
            unsafe fn to_float(value: __m256i) -> __m256 {
                unsafe { _mm256_cvtepi32_ps(value) }
            }

            #[inline(always)]
            unsafe fn round(value: __m256) -> __m256i {
                unsafe { _mm256_cvtps_epi32(value) }
            }

            #[inline(always)]
            unsafe fn load_halves_as_float(from: *const i16) -> __m256 {
                unsafe { _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(from.cast()))) }
            }

            #[inline(always)]
            unsafe fn load_bytes_as_float(from: *const u8) -> __m256 {
                unsafe { _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast()))) }
            }

            #[inline(always)]
            unsafe fn sum(value: __m256) -> f32 {
                unsafe {
                    let four = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps::<1>(value));
                    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
                }
            }
        }
    };
}

vectors_of_256_bits!(Avx2, "avx2,fma", by_pairs, true);
vectors_of_256_bits!(AvxVnni, "avx2,fma,avxvnni", _mm256_dpbusd_avx_epi32, false);
vectors_of_256_bits!(Avx512Half, "avx512f,avx512bw,avx512vl,avx512vnni,fma", _mm256_dpbusd_epi32, false);

/// Sums pairs of products in 16 bits first, which cannot overflow as long as no weight is beyond 64.
#[inline(always)]
unsafe fn by_pairs(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    unsafe { Avx2::add_pairs(sum, Avx2::pairs(a, b)) }
}
