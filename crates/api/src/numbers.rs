//! Whole numbers in JSON. In JSON Schema, which the OpenAPI document uses, `5.0` is an integer.

use serde_json::Number;

/// Up to here every whole number is exact as an `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number without a fraction as an integer; `None` for another one, or one beyond ±2^53.
pub(crate) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// A number as text, without a fraction that is zero.
pub(crate) fn number_text(number: &Number) -> String {
    let float = number.as_f64().filter(|_| number.is_f64());
    float.and_then(whole).map_or_else(|| number.to_string(), |whole| whole.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_that_is_zero_is_left_out_and_no_other() {
        for (json, text) in [
            ("2015", "2015"),
            ("2015.0", "2015"),
            ("5.2e4", "52000"),
            ("-3.0", "-3"),
            ("49.99", "49.99"),
            ("18446744073709551615", "18446744073709551615"),
            ("1e300", "1e+300"),
        ] {
            assert_eq!(number_text(&serde_json::from_str(json).unwrap()), text);
        }
    }
}
