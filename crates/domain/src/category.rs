use serde::{Deserialize, Serialize};

/// The part categories: the eight of specification 2, section 3, and `body` for lamps, mirrors and trim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Engine Components.
    Engine,
    /// Brake System.
    Brake,
    /// Electrical Parts.
    Electrical,
    /// Suspension Components.
    Suspension,
    /// Transmission Parts.
    Transmission,
    /// Cooling System.
    Cooling,
    /// Exhaust System.
    Exhaust,
    /// Fuel System.
    Fuel,
    /// Body & Interior.
    Body,
}

impl Category {
    /// All categories, in the order they are listed.
    pub const ALL: [Self; 9] = [
        Self::Engine,
        Self::Brake,
        Self::Electrical,
        Self::Suspension,
        Self::Transmission,
        Self::Cooling,
        Self::Exhaust,
        Self::Fuel,
        Self::Body,
    ];

    /// The name on the wire and in paths: `engine`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Brake => "brake",
            Self::Electrical => "electrical",
            Self::Suspension => "suspension",
            Self::Transmission => "transmission",
            Self::Cooling => "cooling",
            Self::Exhaust => "exhaust",
            Self::Fuel => "fuel",
            Self::Body => "body",
        }
    }

    /// The category whose [`Category::as_str`] is `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }

    /// The name for people (specification 2, section 3): `Engine Components`.
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
