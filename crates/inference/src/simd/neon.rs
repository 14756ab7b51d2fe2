//! NEON with dot-product instructions: 64-bit Arm processors since about 2018 (Cortex-A76, Apple M1, Graviton2);
//! also with i8mm, since about 2021 (Neoverse V1, Apple M2, Graviton3).
//!
//! A vector is two registers, so that it is as wide as with AVX2 and the kernels use the same tiles.

use std::arch::aarch64::{
    float32x4x2_t, int32x4_t, int32x4x2_t, uint8x16_t, vaddq_f32, vaddvq_f32, vcombine_s16, vcombine_u8,
    vcvtnq_s32_f32, vcvtq_f32_s32, vcvtq_f32_u32, vdupq_n_f32, vdupq_n_s32, vdupq_n_u8, veorq_u8, vfmaq_f32,
    vget_high_s16, vget_high_u8, vget_high_u16, vget_low_s16, vget_low_u8, vget_low_u16, vld1_u8, vld1q_f32,
    vld1q_s16, vld1q_u8, vmaxnmq_f32, vminnmq_f32, vmovl_s16, vmovl_u8, vmovl_u16, vqmovn_s32, vqmovun_s16,
    vreinterpretq_s16_s32, vreinterpretq_s32_s16, vreinterpretq_s32_u8, vreinterpretq_s32_u16,
    vreinterpretq_u8_s32, vreinterpretq_u8_u32, vreinterpretq_u16_u8, vreinterpretq_u32_u8, vst1_u8,
    vst1q_f32, vst1q_u8, vzip1q_u8, vzip1q_u16, vzip1q_u32, vzip2q_u8, vzip2q_u16, vzip2q_u32,
};
use std::arch::asm;

use super::{Kernel, Simd};

/// The same vectors, with two instructions for the sum of products.
macro_rules! pairs_of_128_bits {
    ($name:ident, $features:literal, $dot:literal, $signed_bytes:literal) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        unsafe impl Simd for $name {
            type Int = int32x4x2_t;
            type Float = float32x4x2_t;
            type Half = Self;

            const LANES: usize = 8;
            const WIDE: bool = false;
            const SIGNED_BYTES: bool = $signed_bytes;

            #[inline]
            unsafe fn run<K: Kernel>(kernel: K) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<K: Kernel>(kernel: K) {
                    unsafe { kernel.run::<$name>() }
                }
                unsafe { compiled(kernel) }
            }

            #[inline(always)]
            unsafe fn load(from: *const u8) -> int32x4x2_t {
                unsafe { integers(vld1q_u8(from), vld1q_u8(from.add(16))) }
            }

            #[inline(always)]
            fn prefetch(from: *const u8) {
                // In assembly, because the intrinsic is not stable yet.
                unsafe { asm!("prfm pldl2keep, [{from}]", from = in(reg) from, options(readonly, nostack, preserves_flags)) }
            }

            #[inline(always)]
            unsafe fn store(to: *mut u8, value: int32x4x2_t) {
                unsafe {
                    vst1q_u8(to, vreinterpretq_u8_s32(value.0));
                    vst1q_u8(to.add(16), vreinterpretq_u8_s32(value.1));
                }
            }

            #[inline(always)]
            unsafe fn store_first(to: *mut u8, value: int32x4x2_t, n_bytes: usize) {
                unsafe {
                    vst1q_u8(to, vreinterpretq_u8_s32(value.0));
                    if n_bytes == 32 {
                        vst1q_u8(to.add(16), vreinterpretq_u8_s32(value.1));
                    }
                }
            }

            #[inline(always)]
            unsafe fn repeat(from: *const u8) -> int32x4x2_t {
                unsafe {
                    let four = vdupq_n_s32(from.cast::<i32>().read_unaligned());
                    let four = Self::factor(vreinterpretq_u8_s32(four));
                    integers(four, four)
                }
            }

            #[inline(always)]
            unsafe fn repeat_byte(byte: u8) -> int32x4x2_t {
                unsafe {
                    let bytes = Self::factor(vdupq_n_u8(byte));
                    integers(bytes, bytes)
                }
            }

            #[inline(always)]
            unsafe fn dot(sum: int32x4x2_t, a: int32x4x2_t, b: int32x4x2_t) -> int32x4x2_t {
                unsafe { int32x4x2_t(Self::dot_of_128(sum.0, a.0, b.0), Self::dot_of_128(sum.1, a.1, b.1)) }
            }

            #[inline(always)]
            unsafe fn transpose(rows: [int32x4x2_t; 4]) -> [int32x4x2_t; 4] {
                unsafe {
                    let [a, b, c, d] = rows;
                    let first = Self::transpose_of_128([a.0, b.0, c.0, d.0]);
                    let second = Self::transpose_of_128([a.1, b.1, c.1, d.1]);
                    [
                        integers(first[0], second[0]),
                        integers(first[1], second[1]),
                        integers(first[2], second[2]),
                        integers(first[3], second[3]),
                    ]
                }
            }

            #[inline(always)]
            unsafe fn pack_halves(a: int32x4x2_t, b: int32x4x2_t) -> int32x4x2_t {
                unsafe { int32x4x2_t(halves(a.0, b.0), halves(a.1, b.1)) }
            }

            #[inline(always)]
            unsafe fn pack_bytes(a: int32x4x2_t, b: int32x4x2_t) -> int32x4x2_t {
                unsafe { integers(bytes(a.0, b.0), bytes(a.1, b.1)) }
            }

            #[inline(always)]
            unsafe fn store_rows(
                [first, second, third, fourth]: [*mut u8; 4],
                packed: int32x4x2_t,
                _all: bool,
            ) {
                unsafe {
                    let [low, high] = rows(packed);
                    vst1_u8(first, vget_low_u8(low));
                    vst1_u8(second, vget_high_u8(low));
                    vst1_u8(third, vget_low_u8(high));
                    vst1_u8(fourth, vget_high_u8(high));
                }
            }

            #[inline(always)]
            unsafe fn store_two_rows([first, second]: [*mut u8; 2], [[a, b], [c, d]]: [[int32x4x2_t; 2]; 2]) {
                unsafe {
                    let [low, high] = rows(Self::pack([a, b, c, d]));
                    vst1q_u8(first, low);
                    vst1q_u8(second, high);
                }
            }

            #[inline(always)]
            unsafe fn load_float(from: *const f32) -> float32x4x2_t {
                unsafe { float32x4x2_t(vld1q_f32(from), vld1q_f32(from.add(4))) }
            }

            #[inline(always)]
            unsafe fn store_float(to: *mut f32, value: float32x4x2_t) {
                unsafe {
                    vst1q_f32(to, value.0);
                    vst1q_f32(to.add(4), value.1);
                }
            }

            #[inline(always)]
            unsafe fn repeat_float(value: f32) -> float32x4x2_t {
                unsafe { float32x4x2_t(vdupq_n_f32(value), vdupq_n_f32(value)) }
            }

            #[inline(always)]
            unsafe fn mul_add(a: float32x4x2_t, b: float32x4x2_t, c: float32x4x2_t) -> float32x4x2_t {
                unsafe { float32x4x2_t(vfmaq_f32(c.0, a.0, b.0), vfmaq_f32(c.1, a.1, b.1)) }
            }

            #[inline(always)]
            unsafe fn clamp(value: float32x4x2_t, low: f32, high: f32) -> float32x4x2_t {
                unsafe {
                    let (low, high) = (vdupq_n_f32(low), vdupq_n_f32(high));
                    float32x4x2_t(
                        vminnmq_f32(vmaxnmq_f32(value.0, low), high),
                        vminnmq_f32(vmaxnmq_f32(value.1, low), high),
                    )
                }
            }

            #[inline(always)]
            unsafe fn to_float(value: int32x4x2_t) -> float32x4x2_t {
                unsafe { float32x4x2_t(vcvtq_f32_s32(value.0), vcvtq_f32_s32(value.1)) }
            }

            #[inline(always)]
            unsafe fn round(value: float32x4x2_t) -> int32x4x2_t {
                unsafe { int32x4x2_t(vcvtnq_s32_f32(value.0), vcvtnq_s32_f32(value.1)) }
            }

            #[inline(always)]
            unsafe fn load_halves_as_float(from: *const i16) -> float32x4x2_t {
                unsafe {
                    let halves = vld1q_s16(from);
                    let (low, high) = (vmovl_s16(vget_low_s16(halves)), vmovl_s16(vget_high_s16(halves)));
                    float32x4x2_t(vcvtq_f32_s32(low), vcvtq_f32_s32(high))
                }
            }

            #[inline(always)]
            unsafe fn load_bytes_as_float(from: *const u8) -> float32x4x2_t {
                unsafe {
                    let bytes = vmovl_u8(vld1_u8(from));
                    let (low, high) = (vmovl_u16(vget_low_u16(bytes)), vmovl_u16(vget_high_u16(bytes)));
                    float32x4x2_t(vcvtq_f32_u32(low), vcvtq_f32_u32(high))
                }
            }

            #[inline(always)]
            unsafe fn sum(value: float32x4x2_t) -> f32 {
                unsafe { vaddvq_f32(vaddq_f32(value.0, value.1)) }
            }
        }

        impl $name {
            /// Converts unsigned bytes to operands of [`Simd::dot`].
            #[inline(always)]
            unsafe fn factor(bytes: uint8x16_t) -> uint8x16_t {
                if $signed_bytes { unsafe { veorq_u8(bytes, vdupq_n_u8(128)) } } else { bytes }
            }

            #[inline(always)]
            unsafe fn dot_of_128(sum: int32x4_t, a: int32x4_t, b: int32x4_t) -> int32x4_t {
                let mut sum = sum;
                // In assembly, because the intrinsics are not stable yet.
                unsafe {
                    asm!(
                        $dot,
                        sum = inlateout(vreg) sum,
                        a = in(vreg) a,
                        b = in(vreg) b,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                sum
            }

            #[inline(always)]
            unsafe fn transpose_of_128([a, b, c, d]: [int32x4_t; 4]) -> [uint8x16_t; 4] {
                unsafe {
                    let of = |row| Self::factor(vreinterpretq_u8_s32(row));
                    let (a, b, c, d) = (of(a), of(b), of(c), of(d));
                    let (ab_low, ab_high) = (vzip1q_u8(a, b), vzip2q_u8(a, b));
                    let (cd_low, cd_high) = (vzip1q_u8(c, d), vzip2q_u8(c, d));
                    [
                        halves_first(ab_low, cd_low),
                        halves_last(ab_low, cd_low),
                        halves_first(ab_high, cd_high),
                        halves_last(ab_high, cd_high),
                    ]
                }
            }
        }
    };
}

pairs_of_128_bits!(NeonI8mm, "neon,dotprod,i8mm", "usdot {sum:v}.4s, {a:v}.16b, {b:v}.16b", false);
pairs_of_128_bits!(NeonDot, "neon,dotprod", "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b", true);

#[inline(always)]
unsafe fn integers(first: uint8x16_t, second: uint8x16_t) -> int32x4x2_t {
    unsafe { int32x4x2_t(vreinterpretq_s32_u8(first), vreinterpretq_s32_u8(second)) }
}

/// Interleaves the first halves of two vectors, two bytes at a time.
#[inline(always)]
unsafe fn halves_first(one: uint8x16_t, other: uint8x16_t) -> uint8x16_t {
    unsafe {
        let both = vzip1q_u16(vreinterpretq_u16_u8(one), vreinterpretq_u16_u8(other));
        vreinterpretq_u8_s32(vreinterpretq_s32_u16(both))
    }
}

/// The same for their last halves.
#[inline(always)]
unsafe fn halves_last(one: uint8x16_t, other: uint8x16_t) -> uint8x16_t {
    unsafe {
        let both = vzip2q_u16(vreinterpretq_u16_u8(one), vreinterpretq_u16_u8(other));
        vreinterpretq_u8_s32(vreinterpretq_s32_u16(both))
    }
}

/// Narrows two vectors of four integers to 16 bits, with saturation.
#[inline(always)]
unsafe fn halves(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    unsafe { vreinterpretq_s32_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b))) }
}

/// Narrows two vectors of eight 16-bit integers to bytes, with saturation.
#[inline(always)]
unsafe fn bytes(a: int32x4_t, b: int32x4_t) -> uint8x16_t {
    unsafe { vcombine_u8(vqmovun_s16(vreinterpretq_s16_s32(a)), vqmovun_s16(vreinterpretq_s16_s32(b))) }
}

/// Reorders packed values by row: each 16 bytes have four bytes of each row.
#[inline(always)]
unsafe fn rows(packed: int32x4x2_t) -> [uint8x16_t; 2] {
    unsafe {
        let of = |half| vreinterpretq_u32_u8(vreinterpretq_u8_s32(half));
        let (first, second) = (of(packed.0), of(packed.1));
        [vreinterpretq_u8_u32(vzip1q_u32(first, second)), vreinterpretq_u8_u32(vzip2q_u32(first, second))]
    }
}
