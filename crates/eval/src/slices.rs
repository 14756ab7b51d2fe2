//! Slices: groups of photographs with a value in common, and the accuracy of each.

use serde::Serialize;

use crate::metrics::{Share, false_discovery_rates, fisher_exact};
use crate::{Dataset, Measured, PhotoFacts, Truth};

/// Minimum of photographs of known labels in a slice.
const LEAST_PHOTOS: usize = 5;
/// Maximum of different values of a column; a column with more is left out, because its values name single photographs.
const MAX_VALUES: usize = 50;
/// A numeric column with more different values is cut into thirds.
const MAX_NUMBERS: usize = 12;
/// Value of photographs with an empty column or no camera in EXIF.
const NOT_STATED: &str = "not stated";

/// One slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// The property that defines the groups, such as a column of the list.
    pub dimension: String,
    /// The value that these photographs have in common.
    pub value: String,
    /// Top-1 accuracy of the slice.
    pub right: Share,
    /// The 95% Wilson interval of `right`.
    pub interval: [f64; 2],
    /// Top-1 accuracy of all other photographs of known labels.
    pub others: Share,
    /// Two-sided p-value of Fisher's exact test, `right` against `others`.
    pub p_value: f64,
    /// The p-value adjusted for the number of slices (Benjamini and Hochberg).
    pub false_discovery_rate: f64,
    /// Its photographs of known labels, as indices into the measured photographs.
    #[serde(skip)]
    pub members: Vec<usize>,
}

impl Slice {
    /// Whether its accuracy is lower than that of the others, at a false discovery rate of 5%.
    pub fn is_worse(&self) -> bool {
        self.false_discovery_rate <= 0.05 && self.right.value() < self.others.value()
    }
}

/// All slices of the photographs of known labels, by columns of the list and by properties of the pictures. Sorted by
/// the upper end of the interval, the lowest first, so that a small slice comes first only if it is certainly bad.
pub(crate) fn slices(dataset: &Dataset, photos: &[Measured]) -> Vec<Slice> {
    let known: Vec<usize> =
        (0..photos.len()).filter(|&index| matches!(photos[index].truth, Truth::Class(_))).collect();
    let is_right: Vec<bool> = known.iter().map(|&index| photos[index].is_right()).collect();
    let samples: Vec<usize> = known.iter().map(|&index| photos[index].sample).collect();
    let all = Share::of(is_right.iter().copied());
    let mut slices = Vec::new();
    for (dimension, values) in dimensions(dataset, &samples) {
        let mut names: Vec<&String> = values.iter().flatten().collect();
        names.sort();
        names.dedup();
        // A slice of all photographs has no others to compare with.
        if names.len() < 2 {
            continue;
        }
        for name in names {
            let members: Vec<usize> =
                (0..known.len()).filter(|&at| values[at].as_ref() == Some(name)).collect();
            if members.len() < LEAST_PHOTOS {
                continue;
            }
            let right = Share::of(members.iter().map(|&at| is_right[at]));
            // Against the rest, not against all, which would include the slice itself.
            let others = Share { count: all.count - right.count, total: all.total - right.total };
            slices.push(Slice {
                dimension: dimension.clone(),
                value: name.clone(),
                right,
                interval: right.interval(),
                others,
                p_value: fisher_exact(right, others),
                false_discovery_rate: 1.0,
                members: members.iter().map(|&at| known[at]).collect(),
            });
        }
    }
    let rates = false_discovery_rates(&slices.iter().map(|slice| slice.p_value).collect::<Vec<_>>());
    for (slice, rate) in slices.iter_mut().zip(rates) {
        slice.false_discovery_rate = rate;
    }
    slices.sort_by(|one, other| one.interval[1].total_cmp(&other.interval[1]));
    slices
}

/// The dimensions, each with the value of every photograph.
type Dimension = (String, Vec<Option<String>>);

fn dimensions(dataset: &Dataset, samples: &[usize]) -> Vec<Dimension> {
    let mut dimensions: Vec<Dimension> = dataset
        .column_names
        .iter()
        .enumerate()
        .filter_map(|(column, name)| {
            let values: Vec<&str> =
                samples.iter().map(|&sample| dataset.samples[sample].columns[column].as_str()).collect();
            Some((name.clone(), groups_of_column(&values)?))
        })
        .collect();
    let facts: Vec<Option<&PhotoFacts>> =
        samples.iter().map(|&sample| dataset.facts.get(sample).and_then(Option::as_ref)).collect();
    let of_facts =
        |group: fn(&PhotoFacts) -> String| facts.iter().map(|facts| facts.map(group)).collect::<Vec<_>>();
    let numbers =
        |number: fn(&PhotoFacts) -> f64| facts.iter().map(|facts| facts.map(number)).collect::<Vec<_>>();
    dimensions.push(("light".to_owned(), thirds(&numbers(|facts| facts.luminance))));
    dimensions.push(("sharpness".to_owned(), thirds(&numbers(|facts| facts.sharpness))));
    dimensions.push(("aspect".to_owned(), of_facts(aspect)));
    dimensions.push(("resolution".to_owned(), of_facts(resolution)));
    dimensions.push(("background".to_owned(), of_facts(background)));
    let parts = facts.iter().map(|facts| facts.and_then(part_in_picture));
    dimensions.push(("part in the picture".to_owned(), parts.collect()));
    let camera = |facts: &PhotoFacts| facts.camera.clone().unwrap_or_else(|| NOT_STATED.to_owned());
    dimensions.push(("camera".to_owned(), of_facts(camera)));
    dimensions
}

/// The groups of a column: its values, or thirds of its numbers; `None` for a column with too many values.
fn groups_of_column(values: &[&str]) -> Option<Vec<Option<String>>> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let numbers: Vec<Option<f64>> =
        values.iter().map(|value| value.parse::<f64>().ok().filter(|number| number.is_finite())).collect();
    // Empty fields do not make a numeric column a text column.
    let is_number = values.iter().zip(&numbers).all(|(value, number)| value.is_empty() || number.is_some());
    if is_number && distinct.len() > MAX_NUMBERS {
        return Some(thirds(&numbers));
    }
    let group = |value: &&str| Some(if value.is_empty() { NOT_STATED } else { value }.to_owned());
    // With more values than that, they name single photographs, not groups.
    (distinct.len() <= MAX_VALUES).then(|| values.iter().map(group).collect())
}

/// The tertile of each number, named by its bounds; equal numbers are in the same tertile.
fn thirds(numbers: &[Option<f64>]) -> Vec<Option<String>> {
    let mut sorted: Vec<f64> = numbers.iter().copied().flatten().collect();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return vec![None; numbers.len()] };
    // The bounds are values that occur, so equal numbers are on the same side.
    let (low, high) = (sorted[(sorted.len() / 3).min(last)], sorted[(2 * sorted.len() / 3).min(last)]);
    let name = |number: f64| {
        if number < low {
            format!("below {}", rounded(low))
        } else if number < high {
            format!("{} to {}", rounded(low), rounded(high))
        } else {
            format!("{} or more", rounded(high))
        }
    };
    numbers.iter().map(|number| number.map(name)).collect()
}

/// Three significant digits, and all digits before the decimal point.
fn rounded(number: f64) -> String {
    if number.abs() >= 100.0 || number.fract() == 0.0 {
        return format!("{number:.0}");
    }
    // Not 0, which has no fraction and returned above.
    let magnitude = number.abs().log10().floor();
    let n_decimals = (2.0 - magnitude) as usize;
    format!("{number:.n_decimals$}")
}

fn aspect(facts: &PhotoFacts) -> String {
    let ratio = f64::from(facts.width) / f64::from(facts.height);
    let name = match ratio {
        ratio if ratio < 0.9 => "portrait",
        ratio if ratio <= 1.1 => "square",
        _ => "landscape",
    };
    name.to_owned()
}

fn resolution(facts: &PhotoFacts) -> String {
    let megapixels = f64::from(facts.width) * f64::from(facts.height) / 1e6;
    let name = match megapixels {
        size if size < 0.3 => "below 0.3 MP",
        size if size < 2.0 => "0.3 to 2 MP",
        size if size < 8.0 => "2 to 8 MP",
        _ => "8 MP or more",
    };
    name.to_owned()
}

fn background(facts: &PhotoFacts) -> String {
    if facts.subject.is_some() { "plain" } else { "busy" }.to_owned()
}

/// `None` if the part cannot be told from the background.
fn part_in_picture(facts: &PhotoFacts) -> Option<String> {
    let name = match facts.subject.filter(|&share| share > 0.0)? {
        share if share < 1.0 / 3.0 => "small, below 1/3",
        share if share < 2.0 / 3.0 => "middle, 1/3 to 2/3",
        _ => "large, 2/3 or more",
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use partsight_app::Fingerprint;
    use partsight_domain::{StageTimings, Verdict};

    use super::*;
    use crate::{Answer, Guess, Sample};

    fn measured(sample: usize, is_right: bool) -> Measured {
        Measured {
            sample,
            truth: Truth::Class(0),
            answer: Answer {
                guesses: vec![Guess { class: usize::from(!is_right), confidence: 0.9 }],
                known_score: 0.9,
                verdict: Verdict::Identified,
                timings_ms: StageTimings::default(),
                fingerprint: Fingerprint::from_bytes(&[0; 30]),
            },
        }
    }

    fn facts(luminance: f64) -> PhotoFacts {
        PhotoFacts {
            sha256: String::new(),
            width: 640,
            height: 480,
            luminance,
            sharpness: 100.0,
            subject: None,
            camera: None,
        }
    }

    /// 60 photographs: those of the column's value `roof` and the dark ones are wrong half of the time.
    fn example() -> (Dataset, Vec<Measured>) {
        let dataset = Dataset {
            source: "list.csv".into(),
            root: "".into(),
            labels: vec!["rim".to_owned()],
            column_names: vec!["place".to_owned(), "id".to_owned()],
            samples: (0..60)
                .map(|index: usize| Sample {
                    path: format!("{index}.jpg").into(),
                    label: 0,
                    line: None,
                    columns: vec![
                        if index < 20 { "roof" } else { "yard" }.to_owned(),
                        format!("no. {index}"),
                    ],
                })
                .collect(),
            facts: (0..60).map(|index| Some(facts(f64::from(index)))).collect(),
            failures: Vec::new(),
            notices: Vec::new(),
        };
        let photos = (0..60).map(|index| measured(index, index >= 20 || index % 2 == 0)).collect();
        (dataset, photos)
    }

    #[test]
    fn columns_and_pictures_make_slices_the_worst_first() {
        let (dataset, photos) = example();
        let slices = slices(&dataset, &photos);
        let mut names: Vec<String> =
            slices.iter().map(|slice| format!("{}: {}", slice.dimension, slice.value)).collect();
        assert_eq!(names[..2], ["place: roof", "light: below 20"]);
        names.sort();
        assert_eq!(
            names,
            ["light: 20 to 40", "light: 40 or more", "light: below 20", "place: roof", "place: yard"],
            "neither a name of each photograph nor what all have in common is a slice"
        );
        let roof = &slices[0];
        assert_eq!(
            (roof.right, roof.others),
            (Share { count: 10, total: 20 }, Share { count: 40, total: 40 })
        );
        assert_eq!(roof.members, (0..20).collect::<Vec<_>>());
        // scipy.stats.fisher_exact([[10, 10], [40, 0]]).
        assert!((roof.p_value / 2.450_538_934_8e-6 - 1.0).abs() < 1e-6, "{}", roof.p_value);
        assert_eq!(slices.iter().filter(|slice| slice.is_worse()).count(), 2);
    }

    #[test]
    fn the_size_of_a_part_is_known_on_a_plain_background_only() {
        let (mut dataset, photos) = example();
        let subjects = [None, Some(0.0), Some(0.2), Some(0.5), Some(0.9), Some(1.0)];
        for (index, facts) in dataset.facts.iter_mut().flatten().enumerate() {
            facts.subject = subjects[index % 6];
        }
        let slices = slices(&dataset, &photos);
        let sizes = |dimension: &str| {
            let of_dimension = slices.iter().filter(|slice| slice.dimension == dimension);
            let mut sizes: Vec<(&str, usize)> =
                of_dimension.map(|slice| (slice.value.as_str(), slice.right.total)).collect();
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(sizes("background"), [("busy", 10), ("plain", 50)]);
        assert_eq!(
            sizes("part in the picture"),
            [("large, 2/3 or more", 20), ("middle, 1/3 to 2/3", 10), ("small, below 1/3", 10)]
        );
    }

    #[test]
    fn photographs_of_unknown_labels_and_small_groups_are_no_slice() {
        let (dataset, mut photos) = example();
        for photo in &mut photos[4..20] {
            photo.truth = Truth::NotKnown;
        }
        let slices = slices(&dataset, &photos);
        assert!(slices.iter().all(|slice| slice.value != "roof"), "4 photographs remain");
        let yard = slices.iter().find(|slice| slice.value == "yard").unwrap();
        assert_eq!(yard.others.total, 4);
        assert_eq!(yard.members[0], 20);
    }

    #[test]
    fn thirds_keep_equal_numbers_together() {
        let numbers: Vec<Option<f64>> =
            [1.0, 1.0, 1.0, 1.0, 2.0, 3.0].map(Some).into_iter().chain([None]).collect();
        let found = thirds(&numbers);
        assert_eq!(found[0].as_deref(), Some("1 to 2"));
        assert_eq!(found[5].as_deref(), Some("2 or more"));
        assert_eq!((found[6].as_ref(), thirds(&[None]).len()), (None, 1));
    }

    #[test]
    fn bounds_have_three_significant_digits() {
        let cases = [
            (0.001_234, "0.00123"),
            (-0.045_6, "-0.0456"),
            (0.5, "0.500"),
            (1.5, "1.50"),
            (12.34, "12.3"),
            (0.0, "0"),
            (40.0, "40"),
            (1_234.6, "1235"),
        ];
        for (number, expected) in cases {
            assert_eq!(rounded(number), expected, "{number}");
        }
        let numbers: Vec<Option<f64>> = (1..=30).map(|index| Some(f64::from(index) / 10_000.0)).collect();
        assert_eq!(thirds(&numbers)[0].as_deref(), Some("below 0.00110"));
    }

    #[test]
    fn numbers_of_a_column_are_values_while_they_are_few() {
        let years: Vec<String> = (0..40).map(|index| (2000 + index % 4).to_string()).collect();
        let texts: Vec<&str> = years.iter().map(String::as_str).collect();
        assert_eq!(groups_of_column(&texts).unwrap()[1].as_deref(), Some("2001"));
        let miles: Vec<String> = (0..40).map(|index| (1000 * index).to_string()).collect();
        let texts: Vec<&str> = miles.iter().map(String::as_str).collect();
        assert_eq!(groups_of_column(&texts).unwrap()[1].as_deref(), Some("below 13000"));
        let blank = ["", "a", "a"];
        assert_eq!(groups_of_column(&blank).unwrap()[0].as_deref(), Some("not stated"));
        let names: Vec<String> = (0..60).map(|index| format!("n{index}")).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(groups_of_column(&texts), None);
    }
}
