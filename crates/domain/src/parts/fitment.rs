use crate::garage::VehicleName;
use crate::part_number::composed;

/// A range of vehicles that a part fits: a make, one of its models or all, and model years.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fitment {
    /// Manufacturer's brand.
    pub make: String,
    /// One model; `None` for all of the make.
    pub model: Option<String>,
    /// First model year, inclusive; `None` for no limit.
    pub first_year: Option<u16>,
    /// Last model year, inclusive; `None` for no limit.
    pub last_year: Option<u16>,
}

impl Fitment {
    /// A make or model in the form in which it is compared: only letters and digits, in lower case and in Unicode's
    /// normalization form C, so that `F-150`, `F150` and `f 150` are the same. A name of signs only keeps them.
    pub fn normalised(name: &str) -> String {
        ModelKey::new(name).key
    }

    /// Whether a part of this fitment fits `vehicle`.
    pub fn fits(&self, vehicle: &VehicleName) -> bool {
        self.is_of_model(vehicle, |model, other| model == other)
    }

    /// Whether a part of this fitment fits `vehicle`, or may fit it because the two name the model at different
    /// length: a `Silverado` may be a `Silverado 1500`, and a `Golf GTI` is a `Golf`.
    pub fn may_fit(&self, vehicle: &VehicleName) -> bool {
        self.is_of_model(vehicle, ModelKey::is_longer_or_shorter)
    }

    fn is_of_model(&self, vehicle: &VehicleName, matches: impl Fn(&ModelKey, &ModelKey) -> bool) -> bool {
        let year = vehicle.year.get();
        // By names as typed, because shops need not use a fixed list of makes.
        Self::normalised(&self.make) == Self::normalised(&vehicle.make)
            && self
                .model
                .as_deref()
                .is_none_or(|model| matches(&ModelKey::new(model), &ModelKey::new(&vehicle.model)))
            && self.first_year.is_none_or(|first| first <= year)
            && self.last_year.is_none_or(|last| year <= last)
    }
}

/// The name of a model in the form in which it is compared.
#[derive(Debug, Clone)]
pub struct ModelKey {
    /// As [`Fitment::normalised`] writes it.
    key: String,
    /// Where a word ends in `key`, in bytes, the end of the last one left out. Letters and digits beside each other are
    /// different words, as in `ES350`.
    ends: Vec<u16>,
}

/// Equal is the same model: `CRV` and `CR-V`.
impl PartialEq for ModelKey {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for ModelKey {}

impl ModelKey {
    /// The key of a model as typed.
    pub fn new(name: &str) -> Self {
        let (mut key, mut ends) = (String::with_capacity(name.len()), Vec::new());
        // The last letter or digit, if nothing else stands behind it.
        let mut last = None;
        for character in composed(name).chars() {
            for lower in character.to_lowercase() {
                if lower.is_alphanumeric() {
                    let continues = last.is_some_and(|last: char| last.is_numeric() == lower.is_numeric());
                    if !continues && let (false, Ok(end)) = (key.is_empty(), u16::try_from(key.len())) {
                        ends.push(end);
                    }
                    key.push(lower);
                    last = Some(lower);
                }
            }
            last = last.filter(|_| character.is_alphanumeric());
        }
        // Otherwise all names of signs only would be equal.
        if key.is_empty() {
            key = composed(name.trim()).to_lowercase();
        }
        Self { key, ends }
    }

    /// As [`Fitment::normalised`] writes it.
    pub fn as_str(&self) -> &str {
        &self.key
    }

    /// The keys of the names with whose words this one begins, and its own: `golf` and `golfgti`.
    pub fn starts(&self) -> impl Iterator<Item = &str> {
        let shorter = self.ends.iter().filter_map(|end| self.key.get(..usize::from(*end)));
        shorter.chain(std::iter::once(self.as_str()))
    }

    /// Whether one of the two names begins with the words of the other, or they are the same.
    pub(super) fn is_longer_or_shorter(&self, other: &Self) -> bool {
        self.starts().any(|start| start == other.key) || other.starts().any(|start| start == self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_combining_mark_is_that_with_the_letter() {
        assert_eq!(Fitment::normalised(" CITROE\u{308}N"), Fitment::normalised("Citro\u{eb}n "));
    }

    #[test]
    fn spaces_and_signs_do_not_part_what_is_one_name() {
        for name in ["F-150", "F150", "f 150", " F.150 "] {
            assert_eq!(Fitment::normalised(name), "f150");
        }
        assert_eq!(Fitment::normalised("Mercedes-Benz"), Fitment::normalised("MERCEDES BENZ"));
        assert_ne!(Fitment::normalised("--"), Fitment::normalised("!"));
        assert_ne!(Fitment::normalised("--"), "");
    }

    #[test]
    fn a_model_may_be_named_with_more_or_fewer_words() {
        for (one, other, expected) in [
            ("Silverado", "Silverado 1500", true),
            ("Golf GTI", "golf", true),
            ("F150", "F-150 Raptor", true),
            ("ES", "ES350", true),
            ("F-150", "F150", true),
            ("CX-5", "CX-50", false),
            ("Accord", "Accordion", false),
            ("Cherokee", "Grand Cherokee", false),
            ("Golf GTI", "Golf R", false),
            ("", "Golf", false),
            ("--", "Golf", false),
        ] {
            let (one, other) = (ModelKey::new(one), ModelKey::new(other));
            assert_eq!(one.is_longer_or_shorter(&other), expected, "{one:?}, {other:?}");
            assert_eq!(other.is_longer_or_shorter(&one), expected, "{other:?}, {one:?}");
        }
        assert_eq!(
            ModelKey::new("3 Series xDrive").starts().collect::<Vec<_>>(),
            ["3", "3series", "3seriesxdrive"]
        );
    }

    #[test]
    fn a_fitment_holds_for_its_make_its_models_and_its_years() {
        let fitment = |model: Option<&str>, first_year, last_year| Fitment {
            make: "Honda".to_owned(),
            model: model.map(str::to_owned),
            first_year,
            last_year,
        };
        let civic: VehicleName = "2015 HONDA civic".parse().unwrap();
        let cases = [
            (fitment(None, None, None), true),
            (fitment(Some(" Civic "), None, None), true),
            (fitment(Some("Ci-vic"), None, None), true),
            (fitment(Some("Accord"), None, None), false),
            (fitment(Some("Civic"), Some(2015), Some(2015)), true),
            (fitment(Some("Civic"), Some(2016), None), false),
            (fitment(None, None, Some(2014)), false),
            (Fitment { make: "Acura".to_owned(), ..fitment(None, None, None) }, false),
        ];
        for (fitment, fits) in cases {
            assert_eq!(fitment.fits(&civic), fits, "{fitment:?}");
        }
    }
}
