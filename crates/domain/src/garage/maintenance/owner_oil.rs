use crate::InvalidInput;
use crate::text::optional_text;

const TEXT_MAX_CHARS: usize = 80;
/// Range of capacities in hundredths of a US quart, from the smallest motorcycle to the largest truck.
const MIN_HUNDREDTHS: u32 = 10;
const MAX_HUNDREDTHS: u32 = 6000;

/// The owner's own oil values of a vehicle, which override every table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerOil {
    /// Such as `0W-20`.
    pub oil_type: Option<String>,
    /// With the filter, in hundredths of a US quart: 10 to 6,000.
    pub capacity_hundredths: Option<u32>,
    /// Number or name.
    pub oil_filter: Option<String>,
}

impl OwnerOil {
    /// Validates a form; `capacity_quarts` is rounded to hundredths.
    ///
    /// # Errors
    /// Names the first invalid field; at least one must be filled in.
    pub fn new(
        oil_type: Option<&str>,
        capacity_quarts: Option<f64>,
        oil_filter: Option<&str>,
    ) -> Result<Self, InvalidInput> {
        let capacity_hundredths = capacity_quarts
            .map(|quarts| {
                // Stored as whole hundredths, so that a value is returned as it was typed.
                let hundredths = (quarts * 100.0).round();
                let range = f64::from(MIN_HUNDREDTHS)..=f64::from(MAX_HUNDREDTHS);
                range.contains(&hundredths).then_some(hundredths as u32).ok_or_else(|| {
                    InvalidInput::new("oilCapacityQuarts", "Please enter a capacity of 0.1 to 60 quarts.")
                })
            })
            .transpose()?;
        let oil = Self {
            oil_type: optional_text("oilType", "The oil type", oil_type, TEXT_MAX_CHARS)?,
            capacity_hundredths,
            oil_filter: optional_text("oilFilter", "The oil filter", oil_filter, TEXT_MAX_CHARS)?,
        };
        if oil.oil_type.is_none() && oil.capacity_hundredths.is_none() && oil.oil_filter.is_none() {
            return Err(InvalidInput::new(
                "oilType",
                "Please enter the oil type, the capacity or the filter.",
            ));
        }
        Ok(oil)
    }

    /// With the filter, in US quarts.
    pub fn capacity_quarts(&self) -> Option<f64> {
        self.capacity_hundredths.map(|hundredths| f64::from(hundredths) / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_one_value_is_needed_and_each_is_bounded() {
        let oil = OwnerOil::new(Some(" 0W-20 "), Some(4.4), None).unwrap();
        assert_eq!((oil.oil_type.as_deref(), oil.capacity_quarts()), (Some("0W-20"), Some(4.4)));
        assert_eq!(OwnerOil::new(Some(" "), None, None).unwrap_err().field, "oilType");
        for bad in [0.0, -4.0, 0.09, 60.01, 1e300, f64::NAN, f64::INFINITY] {
            assert_eq!(OwnerOil::new(None, Some(bad), None).unwrap_err().field, "oilCapacityQuarts", "{bad}");
        }
        assert_eq!(OwnerOil::new(None, None, Some(&"x".repeat(81))).unwrap_err().field, "oilFilter");
    }
}
