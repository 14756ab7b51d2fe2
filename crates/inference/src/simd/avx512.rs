//! AVX-512 with VNNI: Intel servers since 2019 (Cascade Lake), AMD processors since 2022 (Zen 4).

use std::arch::x86_64::{
    __m512, __m512i, _MM_HINT_T1, _mm_loadu_si128, _mm_prefetch, _mm_storel_epi64, _mm_storeu_si128,
    _mm256_loadu_si256, _mm512_castsi512_si128, _mm512_cvtepi16_epi32, _mm512_cvtepi32_ps,
    _mm512_cvtepu8_epi32, _mm512_cvtps_epi32, _mm512_dpbusd_epi32, _mm512_extracti32x4_epi32,
    _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_max_ps,
    _mm512_min_ps, _mm512_packs_epi32, _mm512_packus_epi16, _mm512_permutexvar_epi32, _mm512_reduce_add_ps,
    _mm512_set1_epi8, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setr_epi32, _mm512_storeu_ps,
    _mm512_storeu_si512, _mm512_unpackhi_epi8, _mm512_unpackhi_epi16, _mm512_unpacklo_epi8,
    _mm512_unpacklo_epi16,
};

use super::{Kernel, Simd, avx2::Avx512Half};

#[derive(Clone, Copy)]
pub(crate) struct Avx512;

unsafe impl Simd for Avx512 {
    type Int = __m512i;
    type Float = __m512;
    type Half = Avx512Half;

    const LANES: usize = 16;
    const WIDE: bool = true;

    #[inline]
    unsafe fn run<K: Kernel>(kernel: K) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
        unsafe fn compiled<K: Kernel>(kernel: K) {
            unsafe { kernel.run::<Avx512>() }
        }
        unsafe { compiled(kernel) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> __m512i {
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    fn prefetch(from: *const u8) {
        unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, value: __m512i) {
        unsafe { _mm512_storeu_si512(to.cast(), value) }
    }

    #[inline(always)]
    unsafe fn store_first(to: *mut u8, value: __m512i, n_bytes: usize) {
        unsafe { _mm512_mask_storeu_epi8(to.cast(), u64::MAX >> (64 - n_bytes), value) }
    }

    #[inline(always)]
    unsafe fn repeat(from: *const u8) -> __m512i {
        unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn repeat_byte(byte: u8) -> __m512i {
        unsafe { _mm512_set1_epi8(byte.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn dot(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_dpbusd_epi32(sum, a, b) }
    }

    #[inline(always)]
    unsafe fn transpose([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        unsafe {
            let (ab_low, ab_high) = (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_epi8(c, d), _mm512_unpackhi_epi8(c, d));
            [
                _mm512_unpacklo_epi16(ab_low, cd_low),
                _mm512_unpackhi_epi16(ab_low, cd_low),
                _mm512_unpacklo_epi16(ab_high, cd_high),
                _mm512_unpackhi_epi16(ab_high, cd_high),
            ]
        }
    }

    #[inline(always)]
    unsafe fn pack_halves(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_packs_epi32(a, b) }
    }

    #[inline(always)]
    unsafe fn pack_bytes(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_packus_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn store_rows(to: [*mut u8; 4], packed: __m512i, all: bool) {
        unsafe {
            // Each 16 bytes have four bytes of each row.
            let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            let rows = _mm512_permutexvar_epi32(order, packed);
            let rows = [
                _mm512_castsi512_si128(rows),
                _mm512_extracti32x4_epi32::<1>(rows),
                _mm512_extracti32x4_epi32::<2>(rows),
                _mm512_extracti32x4_epi32::<3>(rows),
            ];
            for (to, row) in to.into_iter().zip(rows) {
                if all {
                    _mm_storeu_si128(to.cast(), row);
                } else {
                    _mm_storel_epi64(to.cast(), row);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn load_float(from: *const f32) -> __m512 {
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store_float(to: *mut f32, value: __m512) {
        unsafe { _mm512_storeu_ps(to, value) }
    }

    #[inline(always)]
    unsafe fn repeat_float(value: f32) -> __m512 {
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    unsafe fn mul_add(a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    unsafe fn clamp(value: __m512, low: f32, high: f32) -> __m512 {
        unsafe { _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(low)), _mm512_set1_ps(high)) }
    }

    #[inline(always)]
    unsafe fn to_float(value: __m512i) -> __m512 {
        unsafe { _mm512_cvtepi32_ps(value) }
    }

    #[inline(always)]
    unsafe fn round(value: __m512) -> __m512i {
        unsafe { _mm512_cvtps_epi32(value) }
    }

    #[inline(always)]
    unsafe fn load_halves_as_float(from: *const i16) -> __m512 {
        unsafe { _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256(from.cast()))) }
    }

    #[inline(always)]
    unsafe fn load_bytes_as_float(from: *const u8) -> __m512 {
        unsafe { _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast()))) }
    }

    #[inline(always)]
    unsafe fn sum(value: __m512) -> f32 {
        unsafe { _mm512_reduce_add_ps(value) }
    }
}
