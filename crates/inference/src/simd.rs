//! What the kernels need of a processor: vectors of 32-bit integers and of f32, of one width.

mod avx2;
mod avx512;

use std::fmt;

pub(crate) use avx2::{Avx2, AvxVnni};
pub(crate) use avx512::Avx512;

/// Instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    Avx512,
    AvxVnni,
    Avx2,
}

impl Instructions {
    /// The best that this processor has.
    pub(crate) fn of_this_machine() -> Option<Self> {
        Self::ALL.into_iter().find(|instructions| instructions.are_there())
    }

    /// The best first.
    pub(crate) const ALL: [Self; 3] = [Self::Avx512, Self::AvxVnni, Self::Avx2];

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
}

impl fmt::Display for Instructions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Avx512 => "AVX-512 VNNI",
            Self::AvxVnni => "AVX-VNNI",
            Self::Avx2 => "AVX2",
        })
    }
}

/// Instructions of one family of processors.
///
/// The functions are inlined into a kernel that [`Simd::run`] has compiled for these instructions.
///
/// # Safety
/// Every function may only be called on a processor that has them; addresses must be readable or writable for as many
/// bytes as the function says.
pub(crate) unsafe trait Simd: Copy {
    /// Integers, as 32-bit lanes or as bytes.
    type Int: Copy;
    type Float: Copy;

    /// 32-bit lanes of a vector.
    const LANES: usize;
    /// Whether there are 32 registers, so that a tile of a matrix product may be larger.
    const WIDE: bool;
    /// Whether [`Simd::dot`] is so dear that products are better summed in 16 bits first.
    const SUMS_IN_16_BITS: bool;

    /// Runs a kernel that is compiled for these instructions.
    unsafe fn run<K: Kernel>(kernel: K);

    /// `4 * LANES` bytes.
    unsafe fn load(from: *const u8) -> Self::Int;
    /// `4 * LANES` bytes.
    unsafe fn store(to: *mut u8, value: Self::Int);
    /// The first `n_bytes` bytes, a multiple of 16.
    unsafe fn store_first(to: *mut u8, value: Self::Int, n_bytes: usize);
    /// Four bytes, in each lane.
    unsafe fn repeat(from: *const u8) -> Self::Int;
    /// One byte everywhere.
    unsafe fn repeat_byte(byte: u8) -> Self::Int;
    /// `sum + a[0] b[0] + a[1] b[1] + a[2] b[2] + a[3] b[3]` in each lane, of unsigned bytes `a` and signed bytes `b`.
    unsafe fn dot(sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `a[0] b[0] + a[1] b[1]` in each half of a lane, of unsigned bytes `a` and signed bytes `b` that are not beyond 64.
    unsafe fn pairs(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Sums of each half of a lane, modulo 2^16.
    unsafe fn add_halves(a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum` and both halves of each lane of `pairs`, signed 16-bit integers.
    unsafe fn add_pairs(sum: Self::Int, pairs: Self::Int) -> Self::Int;
    /// Transposes the 4 rows of bytes in each 16 bytes: lane j of 16 bytes of vector q has bytes `4 q + j` of all rows.
    unsafe fn transpose(rows: [Self::Int; 4]) -> [Self::Int; 4];
    /// 32-bit integers as bytes, with saturation; in each 16 bytes the four of the first, of the second, and so on.
    unsafe fn pack(values: [Self::Int; 4]) -> Self::Int;
    /// Stores what [`Simd::pack`] gave as four rows of bytes, at multiples of 8: all `LANES` of them, or the first 8.
    unsafe fn store_rows(to: [*mut u8; 4], packed: Self::Int, all: bool);
    /// Stores 32-bit integers as bytes, with saturation, to two rows of `2 * LANES` bytes, at multiples of 8.
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
    /// Into `[low, high]`.
    unsafe fn clamp(value: Self::Float, low: f32, high: f32) -> Self::Float;
    unsafe fn to_float(value: Self::Int) -> Self::Float;
    /// To the nearest, halves to even.
    unsafe fn round(value: Self::Float) -> Self::Int;
    /// `LANES` bytes.
    unsafe fn load_bytes_as_float(from: *const u8) -> Self::Float;
    unsafe fn sum(value: Self::Float) -> f32;
}

/// A computation that is compiled for each family of processors.
pub(crate) trait Kernel {
    /// # Safety
    /// The processor has the instructions of `S`.
    unsafe fn run<S: Simd>(self);
}
