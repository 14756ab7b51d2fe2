use serde::{Deserialize, Serialize};

use crate::InvalidInput;

/// The scan limit that means "no limit" in the API (specification 1, section 3).
pub const UNLIMITED_SCANS: u32 = 999;

named! {
    /// What a user has subscribed to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(try_from = "String", into = "&'static str")]
    pub enum Plan {
        /// Free: two scans in a lifetime.
        #[default]
        Basic = "basic",
        /// Unlimited scans.
        Pro = "pro",
        /// Everything in Pro, for a company with a team.
        Business = "business",
    }
}

impl Plan {
    /// Scans that this plan allows; [`UNLIMITED_SCANS`] for no limit (specification 1, section 9).
    pub const fn scan_limit(self) -> u32 {
        match self {
            Self::Basic => 2,
            Self::Pro | Self::Business => UNLIMITED_SCANS,
        }
    }

    /// The name that people read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "Basic",
            Self::Pro => "Pro",
            Self::Business => "Business",
        }
    }
}

impl TryFrom<String> for Plan {
    type Error = InvalidInput;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::from_name(&name).ok_or_else(|| {
            InvalidInput::new("plan", format!("there is no plan `{name}`; use basic, pro or business"))
        })
    }
}

impl From<Plan> for &'static str {
    fn from(plan: Plan) -> Self {
        plan.as_str()
    }
}

named! {
    /// What a plan may include beyond scanning (specification 2, section 3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Feature {
        /// More than the last scans in the history.
        FullHistory = "full-history",
        /// Whether a part fits the vehicle.
        CompatibilityChecker = "compatibility-checker",
        /// A company with members.
        Company = "company",
        /// The shop's own price lists and supplier services.
        SupplierIntegration = "supplier-integration",
        /// API keys.
        ApiAccess = "api-access",
    }
}

impl Plan {
    /// Whether this plan includes `feature`: the one table of plan and feature.
    pub const fn includes(self, feature: Feature) -> bool {
        match feature {
            Feature::FullHistory | Feature::CompatibilityChecker => {
                matches!(self, Self::Pro | Self::Business)
            }
            Feature::Company | Feature::SupplierIntegration | Feature::ApiAccess => {
                matches!(self, Self::Business)
            }
        }
    }
}

/// How many scans a user may make and has made.
///
/// Scans are counted in the store's transaction that saves them; this type only represents the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanAllowance {
    /// Scans allowed; [`UNLIMITED_SCANS`] for no limit.
    pub limit: u32,
    /// Scans that returned an answer so far.
    pub used: u32,
}

impl ScanAllowance {
    /// The allowance of `plan` after `used` scans.
    pub const fn new(plan: Plan, used: u32) -> Self {
        Self { limit: plan.scan_limit(), used }
    }

    /// Whether no limit applies.
    pub const fn is_unlimited(self) -> bool {
        self.limit == UNLIMITED_SCANS
    }

    /// Scans left. Stays at [`UNLIMITED_SCANS`] for an unlimited plan, however many were made.
    pub const fn remaining(self) -> u32 {
        // 999 means no limit in the API, so it must not be counted down.
        if self.is_unlimited() { UNLIMITED_SCANS } else { self.limit.saturating_sub(self.used) }
    }

    /// Whether another scan may be made.
    pub const fn allows_scan(self) -> bool {
        self.remaining() > 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn basic_has_two_scans_in_a_lifetime() {
        let remaining: Vec<u32> =
            (0..4).map(|used| ScanAllowance::new(Plan::Basic, used).remaining()).collect();
        assert_eq!(remaining, [2, 1, 0, 0]);
        assert!(ScanAllowance::new(Plan::Basic, 1).allows_scan());
        assert!(!ScanAllowance::new(Plan::Basic, 2).allows_scan());
    }

    #[test]
    fn paid_plans_stay_unlimited_after_any_number_of_scans() {
        for plan in [Plan::Pro, Plan::Business] {
            let allowance = ScanAllowance::new(plan, 5_000);
            assert_eq!((allowance.limit, allowance.remaining()), (999, 999));
            assert!(allowance.allows_scan());
        }
    }

    #[test]
    fn each_plan_includes_what_the_pricing_page_says() {
        let included = |plan: Plan| -> Vec<Feature> {
            Feature::ALL.into_iter().filter(|&feature| plan.includes(feature)).collect()
        };
        assert_eq!(included(Plan::Basic), []);
        assert_eq!(included(Plan::Pro), [Feature::FullHistory, Feature::CompatibilityChecker]);
        assert_eq!(included(Plan::Business), Feature::ALL);
    }

    proptest! {
        #[test]
        fn used_and_remaining_never_exceed_the_limit_of_basic(used in 0u32..) {
            let allowance = ScanAllowance::new(Plan::Basic, used);
            prop_assert!(allowance.remaining() <= allowance.limit);
            prop_assert_eq!(allowance.allows_scan(), used < allowance.limit);
        }
    }
}
