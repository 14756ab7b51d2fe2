use serde::{Deserialize, Serialize};

named! {
    /// The part categories: the eight of specification 2, section 3, and `body` for lamps, mirrors and trim.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Category {
        /// Engine Components.
        Engine = "engine",
        /// Brake System.
        Brake = "brake",
        /// Electrical Parts.
        Electrical = "electrical",
        /// Suspension Components.
        Suspension = "suspension",
        /// Transmission Parts.
        Transmission = "transmission",
        /// Cooling System.
        Cooling = "cooling",
        /// Exhaust System.
        Exhaust = "exhaust",
        /// Fuel System.
        Fuel = "fuel",
        /// Body & Interior.
        Body = "body",
    }
}

impl Category {
    /// The display name (specification 2, section 3): `Engine Components`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Engine => "Engine Components",
            Self::Brake => "Brake System",
            Self::Electrical => "Electrical Parts",
            Self::Suspension => "Suspension Components",
            Self::Transmission => "Transmission Parts",
            Self::Cooling => "Cooling System",
            Self::Exhaust => "Exhaust System",
            Self::Fuel => "Fuel System",
            Self::Body => "Body & Interior",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_found_by_its_wire_name() {
        for category in Category::ALL {
            assert_eq!(Category::from_name(category.as_str()), Some(category));
            assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
            assert!(!category.title().is_empty());
        }
        assert_eq!(Category::from_name("Brake System"), None);
    }
}
