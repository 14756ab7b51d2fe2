//! Activation functions, written so that the compiler vectorises them.

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E, SQRT_2};

use crate::network_config::Activation;

/// Applies the activation to each value.
#[inline(always)]
pub(super) fn activate(values: &mut [f32], activation: Activation) {
    match activation {
        Activation::QuickGelu => values.iter_mut().for_each(|value| *value *= sigmoid(1.702 * *value)),
        Activation::Gelu => values.iter_mut().for_each(|value| *value *= normal(*value)),
        Activation::GeluTanh => values.iter_mut().for_each(|value| *value *= nearly_normal(*value)),
        Activation::Silu => values.iter_mut().for_each(|value| *value *= sigmoid(*value)),
        Activation::Relu => values.iter_mut().for_each(|value| *value = value.max(0.0)),
    }
}

#[inline(always)]
fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + exp(-value))
}

/// Standard normal distribution function, by the error function (Abramowitz and Stegun 1964, 7.1.26: error below
/// 1.5e-7).
#[inline(always)]
fn normal(value: f32) -> f32 {
    let at = value.abs() * FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * at);
    let sum =
        ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    let beyond = 0.5 * sum * exp(-at * at);
    if value < 0.0 { beyond } else { 1.0 - beyond }
}

/// An approximation of the same by a hyperbolic tangent (Hendrycks and Gimpel 2016,
/// <https://arxiv.org/abs/1606.08415>).
#[inline(always)]
fn nearly_normal(value: f32) -> f32 {
    const SQRT_2_OVER_PI: f32 = SQRT_2 * 0.564_189_6;
    // (1 + tanh x) / 2 = sigmoid(2 x)
    sigmoid(2.0 * SQRT_2_OVER_PI * (value + 0.044_715 * value * value * value))
}

/// `e^value` with a relative error of about 1e-7, for `value` clamped to -87..=88: 2^n e^rest, with the series of
/// Cephes (Moshier 1989) for `|rest| <= ln 2 / 2`.
#[inline(always)]
pub(super) fn exp(value: f32) -> f32 {
    // At this magnitude f32 has no fraction bits, so adding it rounds.
    const ROUNDER: f32 = 12_582_912.0;
    // ln 2 in two parts, the first of which has few bits.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let value = if value < -87.0 { -87.0 } else { value };
    let value = if value > 88.0 { 88.0 } else { value };
    let rounded = value * LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let rest = value - n * LN_2_HIGH - n * LN_2_LOW;
    let series = ((((1.987_569_1e-4 * rest + 1.398_2e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2)
        * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5;
    let power_of_two = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    (series * rest * rest + rest + 1.0) * power_of_two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_as_defined() {
        // The error function in f64, by its series.
        fn erf(x: f64) -> f64 {
            let mut term = x;
            let mut sum = x;
            for n in 1..200_i32 {
                term *= -x * x / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            sum * std::f64::consts::FRAC_2_SQRT_PI
        }
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let tanh_of = |x: f64| (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
        for step in -500..=500 {
            let x = f64::from(step) / 100.0;
            for (activation, expected) in [
                (Activation::QuickGelu, x * sigmoid(1.702 * x)),
                (Activation::Gelu, x * 0.5 * (1.0 + erf(x / 2.0_f64.sqrt()))),
                (Activation::GeluTanh, x * 0.5 * (1.0 + tanh_of(x).tanh())),
                (Activation::Silu, x * sigmoid(x)),
                (Activation::Relu, x.max(0.0)),
            ] {
                let mut values = [x as f32];
                activate(&mut values, activation);
                assert!((f64::from(values[0]) - expected).abs() < 1e-6, "{activation:?} {x}: {values:?}");
            }
        }
    }

    #[test]
    fn the_largest_values_stay_numbers_and_what_is_none_stays_none() {
        for activation in [Activation::QuickGelu, Activation::Gelu, Activation::GeluTanh, Activation::Silu] {
            let mut values = [-1e30, -200.0, 200.0, 1e12, f32::NAN];
            activate(&mut values, activation);
            assert_eq!(&values[2..4], [200.0, 1e12], "{activation:?}");
            assert!(values[1].abs() < 1e-6 && values[0].is_finite(), "{activation:?} {values:?}");
            assert!(values[4].is_nan(), "{activation:?}");
        }
    }
}
