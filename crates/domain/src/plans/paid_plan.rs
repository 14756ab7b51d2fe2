use std::fmt;

use crate::accounts::Plan;
use crate::number_text::decimal;
use crate::{InvalidInput, messages};

/// The currency of all prices, as ISO 4217 in lower case.
pub const CURRENCY: &str = "usd";

/// Price of a year in monthly prices (specification 2, section 9: ten).
const PAID_MONTHS_A_YEAR: u32 = 10;

named! {
    /// How often a plan is paid.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum BillingInterval {
        /// Every month.
        Month = "month",
        /// Every year, for the price of ten months.
        Year = "year",
    }
}

impl Plan {
    /// The price in US cents for one interval (specification 2, section 3).
    pub const fn price_cents(self, interval: BillingInterval) -> u32 {
        let monthly = match self {
            Self::Basic => 0,
            Self::Pro => 499,
            Self::Business => 1499,
        };
        match interval {
            BillingInterval::Month => monthly,
            BillingInterval::Year => monthly * PAID_MONTHS_A_YEAR,
        }
    }

    /// The plan's benefits, as listed on the pricing page (specification 2, section 3).
    pub const fn benefits(self) -> &'static [&'static str] {
        match self {
            Self::Basic => &[
                "2 lifetime scans",
                "Basic part identification",
                "View supplier prices",
                "Scan history",
                "Mobile camera support",
            ],
            Self::Pro => {
                &["Unlimited scans", "Full scan history", "Priority support", "Part compatibility checker"]
            }
            Self::Business => &[
                "Everything in Pro",
                "Multi-user accounts",
                "Custom supplier integration",
                "API access",
                "Dedicated support",
            ],
        }
    }
}

/// A paid plan with its billing interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaidPlan {
    plan: Plan,
    interval: BillingInterval,
}

impl PaidPlan {
    /// All paid plans.
    pub const ALL: [Self; 4] = [
        Self { plan: Plan::Pro, interval: BillingInterval::Month },
        Self { plan: Plan::Pro, interval: BillingInterval::Year },
        Self { plan: Plan::Business, interval: BillingInterval::Month },
        Self { plan: Plan::Business, interval: BillingInterval::Year },
    ];

    /// A plan with an interval; `None` for the free plan.
    pub fn new(plan: Plan, interval: BillingInterval) -> Option<Self> {
        (plan.price_cents(interval) > 0).then_some(Self { plan, interval })
    }

    /// Validates an order.
    ///
    /// `price` is the price that the person was shown, in dollars such as `4.99`; a page with an outdated price must
    /// not lead to a payment.
    ///
    /// # Errors
    /// Names `plan`, `interval` or `price`.
    pub fn order(plan: &str, interval: &str, price: &str) -> Result<Self, InvalidInput> {
        let ordered = Self::named(plan, interval)?;
        // The price is only compared; the price of the table is charged.
        if cents(price) == Some(ordered.price_cents()) {
            Ok(ordered)
        } else {
            Err(InvalidInput::new(
                "price",
                format!(
                    "The price of this plan is {ordered}. Please reload the pricing page and choose again."
                ),
            ))
        }
    }

    /// The paid plan of these names.
    ///
    /// # Errors
    /// Names `plan` or `interval`.
    pub fn named(plan: &str, interval: &str) -> Result<Self, InvalidInput> {
        let plan = match Plan::from_name(plan) {
            // Its own message, because the person wants to leave a paid plan and needs to know how.
            Some(Plan::Basic) => return Err(InvalidInput::new("plan", messages::BASIC_IS_FREE)),
            Some(plan) => plan,
            None => return Err(InvalidInput::new("plan", messages::PLAN_UNKNOWN)),
        };
        let interval = BillingInterval::from_name(interval)
            .ok_or_else(|| InvalidInput::new("interval", messages::INTERVAL_UNKNOWN))?;
        Ok(Self { plan, interval })
    }

    /// The plan.
    pub const fn plan(self) -> Plan {
        self.plan
    }

    /// How often it is paid.
    pub const fn interval(self) -> BillingInterval {
        self.interval
    }

    /// The price of one interval, in US cents.
    pub const fn price_cents(self) -> u32 {
        self.plan.price_cents(self.interval)
    }
}

impl fmt::Display for PaidPlan {
    /// The price as text: `$4.99 a month`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.price_cents();
        write!(f, "${}.{:02} a {}", cents / 100, cents % 100, self.interval.as_str())
    }
}

/// Parses dollars to cents; `None` for fractions of cents and negative amounts.
fn cents(dollars: &str) -> Option<u32> {
    let number = decimal(dollars).ok()?;
    if number.is_negative || number.fraction.len() > 2 {
        return None;
    }
    // Padded on the right: `4.9` is 4.90.
    let cents: i64 = format!("{:0<2}", number.fraction).parse().ok()?;
    // Checked arithmetic, because the text is untrusted.
    u32::try_from(number.whole.checked_mul(100)? + cents).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_costs_ten_months() {
        let prices = |plan: Plan| BillingInterval::ALL.map(|interval| plan.price_cents(interval));
        assert_eq!(prices(Plan::Basic), [0, 0]);
        assert_eq!(prices(Plan::Pro), [499, 4990]);
        assert_eq!(prices(Plan::Business), [1499, 14_990]);
    }

    #[test]
    fn everything_but_basic_can_be_bought() {
        let all: Vec<PaidPlan> = Plan::ALL
            .into_iter()
            .flat_map(|plan| BillingInterval::ALL.map(|interval| PaidPlan::new(plan, interval)))
            .flatten()
            .collect();
        assert_eq!(all, PaidPlan::ALL);
    }

    #[test]
    fn an_order_must_fit_the_table() {
        for (plan, interval, price) in [
            ("pro", "month", "4.99"),
            ("pro", "year", "49.9"),
            ("pro", "year", "49.90"),
            ("business", "month", "14.99"),
            ("business", "year", "149.900"),
        ] {
            let ordered = PaidPlan::order(plan, interval, price).unwrap();
            assert_eq!((ordered.plan().as_str(), ordered.interval().as_str()), (plan, interval));
        }
        for (plan, interval, price, field) in [
            ("basic", "month", "0", "plan"),
            ("Pro", "month", "4.99", "plan"),
            ("gold", "month", "4.99", "plan"),
            ("pro", "week", "4.99", "interval"),
            ("pro", "", "4.99", "interval"),
            ("pro", "year", "4.99", "price"),
            ("business", "month", "4.99", "price"),
            ("pro", "month", "-4.99", "price"),
            ("pro", "month", "4.991", "price"),
            ("pro", "month", "0.01", "price"),
            ("pro", "month", "NaN", "price"),
            ("pro", "month", "999999999999", "price"),
            ("pro", "month", "", "price"),
        ] {
            let error = PaidPlan::order(plan, interval, price).unwrap_err();
            assert_eq!(error.field, field, "{plan} {interval} {price}");
        }
        let error = PaidPlan::order("pro", "month", "1").unwrap_err().message;
        assert!(error.contains("$4.99 a month"), "{error}");
    }
}
