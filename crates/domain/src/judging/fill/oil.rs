use serde::{Deserialize, Serialize};

use super::plain_line;

/// Winter grades of SAE J300.
const WINTER: [u8; 6] = [0, 5, 10, 15, 20, 25];
/// Grades of SAE J300 for a warm engine.
const SUMMER: [u8; 8] = [8, 12, 16, 20, 30, 40, 50, 60];
/// Valid US quarts with a filter: from a small motorcycle to a large pickup's diesel, with some margin.
const QUARTS: std::ops::RangeInclusive<f64> = 0.5..=20.0;
const MILES: std::ops::RangeInclusive<f64> = 1_000.0..=30_000.0;
const MONTHS: std::ops::RangeInclusive<f64> = 1.0..=36.0;
const STANDARD_MAX_CHARS: usize = 60;

/// A language model's answer about a vehicle's oil, not yet validated.
///
/// It is not asked for filters, because an invented part number is worse than none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OilAnswer {
    /// Viscosity.
    pub grade: Option<String>,
    /// US quarts with a new filter.
    pub capacity_quarts: Option<f64>,
    /// Miles between changes.
    pub interval_miles: Option<f64>,
    /// Months between changes.
    pub interval_months: Option<f64>,
    /// The quality that the manufacturer requires.
    pub standard: Option<String>,
}

/// A language model's answer about a vehicle's oil, validated: the values are plausible for a vehicle, but may be wrong
/// for this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilledOil {
    /// A viscosity of SAE J300, such as `0W-20` or `SAE 30`.
    pub grade: Option<String>,
    /// US quarts with a new filter, 0.5 to 20, to the tenth.
    pub capacity_quarts: Option<f64>,
    /// 1,000 to 30,000.
    pub interval_miles: Option<u32>,
    /// 1 to 36.
    pub interval_months: Option<u16>,
    /// At most 60 characters.
    pub standard: Option<String>,
}

impl FilledOil {
    /// The plausible values; `None` without both grade and capacity, because the rest is useless then.
    pub fn checked(answer: &OilAnswer) -> Option<Self> {
        let within = |value: Option<f64>, range: &std::ops::RangeInclusive<f64>| {
            value.filter(|value| range.contains(value))
        };
        let oil = Self {
            grade: answer.grade.as_deref().and_then(sae_grade),
            capacity_quarts: within(answer.capacity_quarts, &QUARTS)
                .map(|quarts| (quarts * 10.0).round() / 10.0),
            interval_miles: within(answer.interval_miles, &MILES).map(|miles| miles.round() as u32),
            interval_months: within(answer.interval_months, &MONTHS).map(|months| months.round() as u16),
            standard: answer.standard.as_deref().and_then(|text| plain_line(text, STANDARD_MAX_CHARS)),
        };
        (oil.grade.is_some() || oil.capacity_quarts.is_some()).then_some(oil)
    }
}

/// The grade of SAE J300 in `text`, in its usual spelling; `None` for any other text.
fn sae_grade(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_uppercase();
    let text = text.strip_prefix("SAE").unwrap_or(&text).trim_start();
    // Without a `W` it is a monograde oil, as for old and small engines.
    let Some((winter, summer)) = text.split_once('W') else {
        let summer: u8 = text.parse().ok()?;
        return (SUMMER.contains(&summer) && summer >= 20).then(|| format!("SAE {summer}"));
    };
    let winter: u8 = winter.parse().ok()?;
    let summer: u8 = summer.strip_prefix('-').unwrap_or(summer).parse().ok()?;
    (WINTER.contains(&winter) && SUMMER.contains(&summer) && winter < summer)
        .then(|| format!("{winter}W-{summer}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_grades_that_exist_are_grades() {
        for (text, grade) in [
            ("0W-20", "0W-20"),
            (" 5w30 ", "5W-30"),
            ("SAE 10W-40", "10W-40"),
            ("SAE 30", "SAE 30"),
            ("0W-8", "0W-8"),
        ] {
            assert_eq!(sae_grade(text).as_deref(), Some(grade), "{text}");
        }
        for text in [
            "",
            "banana",
            "5W",
            "W-30",
            "5W-31",
            "7W-30",
            "30W-20",
            "25W-20",
            "5W-30 or 0W-20",
            "8",
            "-5W-30",
        ] {
            assert_eq!(sae_grade(text), None, "{text}");
        }
    }

    #[test]
    fn values_of_no_vehicle_are_left_out() {
        let answer = OilAnswer {
            grade: Some("banana".to_owned()),
            capacity_quarts: Some(4.44),
            interval_miles: Some(7499.6),
            interval_months: Some(1200.0),
            standard: Some("API SP".to_owned()),
        };
        let oil = FilledOil::checked(&answer).unwrap();
        assert_eq!((oil.grade, oil.capacity_quarts), (None, Some(4.4)));
        assert_eq!((oil.interval_miles, oil.interval_months), (Some(7500), None));
        assert_eq!(oil.standard.as_deref(), Some("API SP"));
        for quarts in [400.0, 0.0, -4.0, f64::NAN, f64::INFINITY] {
            let answer = OilAnswer { capacity_quarts: Some(quarts), ..answer.clone() };
            assert_eq!(FilledOil::checked(&answer), None, "{quarts}");
        }
        assert_eq!(FilledOil::checked(&OilAnswer::default()), None);
    }

    proptest! {
        #[test]
        fn whatever_is_said_comes_out_in_range(
            grade in prop::option::of(".{0,12}"),
            quarts in prop::option::of(any::<f64>()),
            miles in prop::option::of(any::<f64>()),
        ) {
            let answer = OilAnswer {
                grade, capacity_quarts: quarts, interval_miles: miles, ..OilAnswer::default()
            };
            if let Some(oil) = FilledOil::checked(&answer) {
                prop_assert!(oil.capacity_quarts.is_none_or(|quarts| QUARTS.contains(&quarts)));
                prop_assert!(oil.interval_miles.is_none_or(|miles| (1_000..=30_000).contains(&miles)));
            }
        }
    }
}
