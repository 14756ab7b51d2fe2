//! The interface between kernels and instruction sets: vectors of 32-bit integers and of f32 of the same width.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::fmt;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::{Avx2, AvxVnni};
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{NeonDot, NeonI8mm};

/// Instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    NeonI8mm,
    #[cfg(target_arch = "aarch64")]
    NeonDot,
}

/// Evaluates an expression with the type of an instruction set.
macro_rules! with_family {
    ($instructions:expr, $family:ident => $value:expr) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Instructions::Avx512 => {
                type $family = $crate::simd::Avx512;
                $value
            }
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Instructions::AvxVnni => {
                type $family = $crate::simd::AvxVnni;
                $value
            }
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Instructions::Avx2 => {
                type $family = $crate::simd::Avx2;
                $value
            }
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Instructions::NeonI8mm => {
                type $family = $crate::simd::NeonI8mm;
                $value
            }
            #[cfg(target_arch = "aarch64")]
            $crate::simd::Instructions::NeonDot => {
                type $family = $crate::simd::NeonDot;
                $value
            }
        }
    };
}
pub(crate) use with_family;

impl Instructions {
    /// The best instruction set of this machine.
    pub(crate) fn of_this_machine() -> Option<Self> {
        Self::ALL.into_iter().find(|instructions| instructions.are_there())
    }

    /// In order of preference.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const ALL: [Self; 3] = [Self::Avx512, Self::AvxVnni, Self::Avx2];
    #[cfg(target_arch = "aarch64")]
    pub(crate) const ALL: [Self; 2] = [Self::NeonI8mm, Self::NeonDot];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) const ALL: [Self; 0] = [];

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn are_there(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        avx2 && match self {
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
            Self::AvxVnni => is_x86_feature_detected!("avxvnni"),
            Self::Avx2 => true,
        }
    }

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn are_there(self) -> bool {
        let dot = std::arch::is_aarch64_feature_detected!("dotprod");
        dot && match self {
            Self::NeonI8mm => std::arch::is_aarch64_feature_detected!("i8mm"),
            Self::NeonDot => true,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn are_there(self) -> bool {
        match self {}
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Self::NeonI8mm => "NEON i8mm",
            #[cfg(target_arch = "aarch64")]
            Self::NeonDot => "NEON dotprod",
        })
    }
}

/// The instructions of one instruction set.
///
/// The functions are inlined into a kernel that [`Simd::run`] has compiled for these instructions.
///
/// # Safety
/// Every function may only be called on a processor that has the instructions; addresses must be readable or
/// writable for as many bytes as stated at the function.
pub(crate) unsafe trait Simd: Copy {
    /// Integers, as 32-bit lanes or as bytes.
    type Int: Copy;
    type Float: Copy;
    /// Vectors of half the width if the processor has them too, otherwise the same.
    type Half: Simd;

    /// 32-bit lanes of a vector, 8 or 16.
    const LANES: usize;
    /// Whether there are 32 registers, so that a tile of a matrix product may be larger.
    const WIDE: bool;
    /// Whether [`Simd::dot`] is so slow that it is better to sum products in 16 bits first.
    const SUMS_IN_16_BITS: bool = false;
    /// Whether [`Simd::dot`] multiplies only signed bytes: then unsigned operands are passed minus 128, and the
    /// bias of a layer corrects it.
    const SIGNED_BYTES: bool = false;

    /// Runs a kernel that is compiled for these instructions.
    unsafe fn run<K: Kernel>(kernel: K);

    /// Loads `4 * LANES` bytes.
    unsafe fn load(from: *const u8) -> Self::Int;
    /// Prefetches the cache line of an address into the L2 cache; any address is allowed.
    fn prefetch(from: *const u8);
    /// Stores `4 * LANES` bytes.
    unsafe fn store(to: *mut u8, value: Self::Int);
    /// Stores the first `n_bytes` bytes, a multiple of 16.
    unsafe fn store_first(to: *mut u8, value: Self::Int, n_bytes: usize);
    /// Four unsigned operand bytes of [`Simd::dot`], repeated in each lane.
    unsafe fn repeat(from: *const u8) -> Self::Int;
    /// One unsigned operand byte of [`Simd::dot`], repeated.
    unsafe fn repeat_byte(byte: u8) -> Self::Int;
    /// `sum + a[0] b[0] + a[1] b[1] + a[2] b[2] + a[3] b[3]` in each lane, with unsigned operand bytes `a` and
    /// signed bytes `b`.
    unsafe fn dot(sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `a[0] b[0] + a[1] b[1]` in each half of a lane, with unsigned bytes `a` and signed bytes `b` of at most 64
    /// in magnitude.
    unsafe fn pairs(_a: Self::Int, _b: Self::Int) -> Self::Int {
        unreachable!("BUG: sums in 16 bits where nothing is summed so")
    }
    /// Adds each half of a lane, modulo 2^16.
    unsafe fn add_halves(_a: Self::Int, _b: Self::Int) -> Self::Int {
        unreachable!("BUG: sums in 16 bits where nothing is summed so")
    }
    /// Adds both halves of each lane of `pairs`, signed 16-bit integers, to `sum`.
    unsafe fn add_pairs(_sum: Self::Int, _pairs: Self::Int) -> Self::Int {
        unreachable!("BUG: sums in 16 bits where nothing is summed so")
    }
    /// Transposes 4 rows of bytes within each 16 bytes, as operands of [`Simd::dot`]: in vector q, lane j of each
    /// 16 bytes has byte `4 q + j` of all rows.
    unsafe fn transpose(rows: [Self::Int; 4]) -> [Self::Int; 4];
    /// Converts 32-bit integers to bytes, with saturation; each 16 bytes have four bytes of the first vector, then
    /// of the second, and so on.
    unsafe fn pack([a, b, c, d]: [Self::Int; 4]) -> Self::Int {
        unsafe { Self::pack_bytes(Self::pack_halves(a, b), Self::pack_halves(c, d)) }
    }
    /// The first step of [`Simd::pack`]: to 16 bits.
    unsafe fn pack_halves(a: Self::Int, b: Self::Int) -> Self::Int;
    /// The second step of [`Simd::pack`]: from 16 bits to bytes.
    unsafe fn pack_bytes(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Stores the result of [`Simd::pack`] as four rows of bytes, at multiples of 8 bytes: all `LANES` bytes of a
    /// row, or the first 8.
    unsafe fn store_rows(to: [*mut u8; 4], packed: Self::Int, all: bool);
    /// Stores 32-bit integers as bytes, with saturation, in two rows of `2 * LANES` bytes, at multiples of 8 bytes.
    unsafe fn store_two_rows(to: [*mut u8; 2], rows: [[Self::Int; 2]; 2]) {
        let [first, second] = to;
        let [[a, b], [c, d]] = rows;
        unsafe {
            let to = [first, first.add(Self::LANES), second, second.add(Self::LANES)];
            Self::store_rows(to, Self::pack([a, b, c, d]), true);
        }
    }

    unsafe fn load_float(from: *const f32) -> Self::Float;
    unsafe fn store_float(to: *mut f32, value: Self::Float);
    unsafe fn repeat_float(value: f32) -> Self::Float;
    /// `a * b + c`, rounded once.
    unsafe fn mul_add(a: Self::Float, b: Self::Float, c: Self::Float) -> Self::Float;
    /// Clamps to `[low, high]`.
    unsafe fn clamp(value: Self::Float, low: f32, high: f32) -> Self::Float;
    unsafe fn to_float(value: Self::Int) -> Self::Float;
    /// Rounds to the nearest, ties to even.
    unsafe fn round(value: Self::Float) -> Self::Int;
    /// Loads `LANES` signed integers of 16 bits.
    unsafe fn load_halves_as_float(from: *const i16) -> Self::Float;
    /// Loads `LANES` bytes.
    unsafe fn load_bytes_as_float(from: *const u8) -> Self::Float;
    unsafe fn sum(value: Self::Float) -> f32;
}

/// A computation that is compiled for each instruction set.
pub(crate) trait Kernel {
    /// # Safety
    /// The processor has the instructions of `S`.
    unsafe fn run<S: Simd>(self);
}
