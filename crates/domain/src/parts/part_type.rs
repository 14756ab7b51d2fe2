use serde::{Deserialize, Serialize};

use crate::{Category, PartLabel};

/// A part type with all its descriptions.
///
/// The catalogue files are this type in TOML; unknown keys are refused, so that a misspelt one is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartType {
    /// The id: `spark-plug`.
    pub label: PartLabel,
    /// Singular, as a parts store says it: `Spark Plug`.
    pub name: String,
    /// Its category.
    pub category: Category,
    /// What it is, what it does, how to recognise it, and symptoms of its failure, in a few sentences.
    pub description: String,
    /// Other names that people search with.
    pub also_known_as: Vec<String>,
    /// What a new one costs, as our estimate.
    pub price: PriceEstimate,
    /// How to fit it.
    pub guide: InstallationGuide,
    /// Searches on a video site.
    pub videos: Vec<InstallationVideo>,
    /// How to buy the right one.
    pub buying: BuyingAdvice,
}

/// Our own estimate of the US retail price of a new aftermarket part, before any core charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceEstimate {
    /// Whole US dollars, above zero.
    pub low_usd: u32,
    /// Whole US dollars, above `low_usd`.
    pub high_usd: u32,
    /// What one price buys: `each`, `pair`, `set`.
    pub unit: String,
    /// The month of the estimate, `YYYY-MM`.
    pub estimated_on: String,
}

impl PriceEstimate {
    /// The middle of the range, in cents.
    pub fn average_cents(&self) -> u64 {
        // Sum in dollars, halved, times 100.
        u64::from(self.low_usd + self.high_usd) * 50
    }

    /// The price range as text: `$4 - $25 each (estimate, 2026-11)`.
    pub fn range_text(&self) -> String {
        let (low, high) = (dollars(self.low_usd), dollars(self.high_usd));
        format!("{low} - {high} {} (estimate, {})", self.unit, self.estimated_on)
    }
}

/// `$950`, `$1,200`.
fn dollars(whole: u32) -> String {
    match (whole / 1000, whole % 1000) {
        (0, rest) => format!("${rest}"),
        (thousands, rest) => format!("${thousands},{rest:03}"),
    }
}

named! {
    /// How hard a job is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Difficulty {
        /// Hand tools and a driveway.
        Easy = "easy",
        /// Some experience and a torque wrench.
        Medium = "medium",
        /// Special tools, a lift, or a risk of costly damage.
        Hard = "hard",
    }
}

/// Step-by-step installation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallationGuide {
    /// How hard the job is.
    pub difficulty: Difficulty,
    /// Hands-on minutes for a careful amateur, low and high.
    pub time_minutes: [u32; 2],
    /// What to have at hand.
    pub tools: Vec<String>,
    /// The steps in order, without numbers.
    pub steps: Vec<String>,
    /// The main danger of this job.
    pub safety: String,
}

impl InstallationGuide {
    /// The time as text: `30-90 minutes`, `2-4 hours`.
    pub fn time_text(&self) -> String {
        let [low, high] = self.time_minutes;
        if high <= 90 {
            return if low == high { format!("{low} minutes") } else { format!("{low}-{high} minutes") };
        }
        let (low, high) = (half_hours(low), half_hours(high));
        if low == high { format!("{low} hours") } else { format!("{low}-{high} hours") }
    }
}

/// `minutes` in hours, rounded to half hours, at least a half: `0.5`, `2`, `3.5`.
fn half_hours(minutes: u32) -> String {
    // Never 0.
    let halves = ((minutes + 15) / 30).max(1);
    if halves.is_multiple_of(2) { format!("{}", halves / 2) } else { format!("{}.5", halves / 2) }
}

named! {
    /// The level that a video is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum VideoLevel {
        /// First repair.
        Beginner = "beginner",
        /// Some repairs done.
        Intermediate = "intermediate",
        /// Experienced.
        Advanced = "advanced",
    }
}

/// A search for an installation video. It links to search results and claims no particular video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallationVideo {
    /// May contain `{vehicle}`.
    pub title: String,
    /// What a good video of this shows.
    pub description: String,
    /// Who it is for.
    pub difficulty: VideoLevel,
    /// Typical length.
    pub duration_minutes: u32,
    /// Contains `{vehicle}`.
    pub search_query: String,
}

impl InstallationVideo {
    /// The same with `{vehicle}` replaced; without a vehicle, `{vehicle}` is removed together with the words before
    /// it.
    #[must_use]
    pub fn for_vehicle(&self, vehicle: Option<&str>) -> Self {
        Self {
            title: fill_in_vehicle(&self.title, vehicle),
            search_query: fill_in_vehicle(&self.search_query, vehicle),
            ..self.clone()
        }
    }
}

fn fill_in_vehicle(text: &str, vehicle: Option<&str>) -> String {
    const SLOT: &str = "{vehicle}";
    let filled = match vehicle {
        Some(vehicle) => text.replace(SLOT, vehicle),
        // The placeholder with the words before it first, because removing it alone would leave "on a" behind.
        None => [
            " on a {vehicle}",
            " on an {vehicle}",
            " on your {vehicle}",
            " for a {vehicle}",
            " for your {vehicle}",
            " in a {vehicle}",
            " of a {vehicle}",
            SLOT,
        ]
        .iter()
        .fold(text.to_owned(), |text, phrase| text.replace(phrase, "")),
    };
    filled.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How to buy the right part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuyingAdvice {
    /// Fitment details, numbers to read off, variants to beware of.
    pub search_tips: Vec<String>,
    /// Names of retailers that sell it, as the catalogue's table of retailers spells them.
    pub retailers: Vec<String>,
    /// What goes wrong with this part or this purchase.
    pub common_issues: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_reads_as_minutes_up_to_ninety_and_as_hours_above() {
        let cases = [
            ([30, 90], "30-90 minutes"),
            ([20, 20], "20 minutes"),
            ([90, 240], "1.5-4 hours"),
            ([600, 960], "10-16 hours"),
            ([120, 125], "2 hours"),
        ];
        for (time_minutes, expected) in cases {
            let guide = InstallationGuide {
                difficulty: Difficulty::Easy,
                time_minutes,
                tools: vec![],
                steps: vec![],
                safety: String::new(),
            };
            assert_eq!(guide.time_text(), expected);
        }
    }

    #[test]
    fn the_vehicle_is_put_into_a_video_search_and_its_slot_vanishes_without_one() {
        let video = InstallationVideo {
            title: "Spark plugs on a {vehicle}, step by step".to_owned(),
            description: String::new(),
            difficulty: VideoLevel::Beginner,
            duration_minutes: 10,
            search_query: "{vehicle} spark plug replacement".to_owned(),
        };
        let for_civic = video.for_vehicle(Some("2015 Honda Civic"));
        assert_eq!(for_civic.title, "Spark plugs on a 2015 Honda Civic, step by step");
        assert_eq!(for_civic.search_query, "2015 Honda Civic spark plug replacement");
        let for_any = video.for_vehicle(None);
        assert_eq!(for_any.title, "Spark plugs, step by step");
        assert_eq!(for_any.search_query, "spark plug replacement");
    }

    #[test]
    fn the_average_of_a_price_range_is_its_middle_in_cents() {
        let price = PriceEstimate {
            low_usd: 4,
            high_usd: 25,
            unit: "each".to_owned(),
            estimated_on: "2026-11".to_owned(),
        };
        assert_eq!(price.average_cents(), 1450);
        assert_eq!(price.range_text(), "$4 - $25 each (estimate, 2026-11)");
        let dear = PriceEstimate { low_usd: 950, high_usd: 5_050, ..price };
        assert_eq!(dear.range_text(), "$950 - $5,050 each (estimate, 2026-11)");
    }
}
