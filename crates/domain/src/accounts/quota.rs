use crate::accounts::Plan;

/// A limit of what an account may store, so that no account can fill the disk for all.
///
/// The limits are far above what we have seen a garage of each plan need; reaching one indicates a runaway program.
/// Deletion frees quota at once. After a change to a smaller plan everything is kept, but nothing can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quota {
    /// Saved vehicles.
    Vehicles,
    /// Oil changes, repairs and odometer readings together.
    Records,
    /// Maintenance items that a user changed or added.
    MaintenanceItems,
    /// Parts of a shop.
    ShopParts,
    /// Rows of all price lists together.
    PriceListRows,
    /// Photographs that were taught.
    TaughtPhotos,
    /// Scans in the history.
    Scans,
    /// Bytes of the pictures of scans and taught parts, and of the photographs of waiting batches.
    PictureBytes,
}

const MB: u64 = 1_000_000;
const GB: u64 = 1_000 * MB;

impl Quota {
    /// Every quota.
    pub const ALL: [Self; 8] = [
        Self::Vehicles,
        Self::Records,
        Self::MaintenanceItems,
        Self::ShopParts,
        Self::PriceListRows,
        Self::TaughtPhotos,
        Self::Scans,
        Self::PictureBytes,
    ];

    /// Maximum for an account of `plan`; for [`Quota::PictureBytes`] in bytes.
    pub const fn limit(self, plan: Plan) -> u64 {
        let (basic, pro, business) = match self {
            Self::Vehicles => (200, 2_000, 20_000),
            Self::Records => (20_000, 100_000, 500_000),
            Self::MaintenanceItems => (2_000, 20_000, 200_000),
            // Search, fit and import read all parts of a shop, which is fast up to this number.
            Self::ShopParts => (2_000, 20_000, 20_000),
            Self::PriceListRows => (3_000_000, 3_000_000, 3_000_000),
            Self::TaughtPhotos => (1_000, 10_000, 50_000),
            // Basic includes two scans in all, but the server may be set to give everybody a larger plan.
            Self::Scans => (10_000, 500_000, 2_000_000),
            Self::PictureBytes => (200 * MB, 10 * GB, 50 * GB),
        };
        match plan {
            Plan::Basic => basic,
            Plan::Pro => pro,
            Plan::Business => business,
        }
    }

    /// The field that a refusal names in the API.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Vehicles => "vehicles",
            Self::Records => "records",
            Self::MaintenanceItems => "maintenanceItems",
            Self::ShopParts => "shopParts",
            Self::PriceListRows => "priceListRows",
            Self::TaughtPhotos => "taughtPhotos",
            Self::Scans => "scans",
            Self::PictureBytes => "pictureBytes",
        }
    }

    /// The message for an account of `plan` at its limit: the limit and what to do.
    pub fn sentence(self, plan: Plan) -> String {
        let limit = self.limit(plan);
        let what = match self {
            Self::Vehicles => format!("{} vehicles", grouped(limit)),
            Self::Records => format!("{} oil changes, repairs and odometer readings", grouped(limit)),
            Self::MaintenanceItems => format!("{} maintenance items", grouped(limit)),
            Self::ShopParts => format!("{} parts", grouped(limit)),
            Self::PriceListRows => format!("{} rows of price lists", grouped(limit)),
            Self::TaughtPhotos => format!("{} taught photos", grouped(limit)),
            Self::Scans => format!("{} scans in the history", grouped(limit)),
            Self::PictureBytes if limit >= GB => format!("{} GB of pictures", limit / GB),
            Self::PictureBytes => format!("{} MB of pictures", limit / MB),
        };
        // Only a plan with a larger limit is named; some limits are the same for all plans.
        let larger = Plan::ALL.into_iter().find(|&other| self.limit(other) > limit);
        let or_upgrade = larger.map(|plan| format!(", or upgrade to {}", plan.name())).unwrap_or_default();
        format!("The {} plan keeps at most {what}. Please delete some first{or_upgrade}.", plan.name())
    }
}

/// A number with thousands separators: `20,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_plan_never_keeps_less() {
        for quota in Quota::ALL {
            let limits = Plan::ALL.map(|plan| quota.limit(plan));
            assert!(limits.is_sorted() && limits[0] > 0, "{quota:?}: {limits:?}");
        }
    }

    #[test]
    fn a_refusal_says_the_limit_and_what_to_do() {
        let sentences: Vec<String> =
            Quota::ALL.map(|quota| Plan::ALL.map(|plan| quota.sentence(plan)).join("\n")).into();
        insta::assert_snapshot!(sentences.join("\n"), @"
        The Basic plan keeps at most 200 vehicles. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 2,000 vehicles. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 20,000 vehicles. Please delete some first.
        The Basic plan keeps at most 20,000 oil changes, repairs and odometer readings. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 100,000 oil changes, repairs and odometer readings. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 500,000 oil changes, repairs and odometer readings. Please delete some first.
        The Basic plan keeps at most 2,000 maintenance items. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 20,000 maintenance items. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 200,000 maintenance items. Please delete some first.
        The Basic plan keeps at most 2,000 parts. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 20,000 parts. Please delete some first.
        The Business plan keeps at most 20,000 parts. Please delete some first.
        The Basic plan keeps at most 3,000,000 rows of price lists. Please delete some first.
        The Pro plan keeps at most 3,000,000 rows of price lists. Please delete some first.
        The Business plan keeps at most 3,000,000 rows of price lists. Please delete some first.
        The Basic plan keeps at most 1,000 taught photos. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 10,000 taught photos. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 50,000 taught photos. Please delete some first.
        The Basic plan keeps at most 10,000 scans in the history. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 500,000 scans in the history. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 2,000,000 scans in the history. Please delete some first.
        The Basic plan keeps at most 200 MB of pictures. Please delete some first, or upgrade to Pro.
        The Pro plan keeps at most 10 GB of pictures. Please delete some first, or upgrade to Business.
        The Business plan keeps at most 50 GB of pictures. Please delete some first.
        ");
    }

    #[test]
    fn thousands_are_set_apart() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (20_000, "20,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }
}
