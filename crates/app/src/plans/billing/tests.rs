use partsight_domain::{BillingInterval, PaidPlan, Plan};

use super::*;

fn billed(id: &str, status: SubscriptionStatus, offer: Option<PaidPlan>, second: i64) -> BilledSubscription {
    BilledSubscription {
        id: id.to_owned(),
        customer_id: "cus_1".to_owned(),
        status,
        price_id: "price_1".to_owned(),
        offer,
        created_at: Timestamp::from_second(second).unwrap(),
        current_period_end: Timestamp::from_second(second + 9).unwrap(),
        cancel_at_period_end: false,
        pending_offer: None,
        client_secret: None,
        item_id: "si_1".to_owned(),
    }
}

#[test]
fn what_gives_a_plan_counts_before_what_was_ordered_last() {
    use SubscriptionStatus as Status;
    let pro = PaidPlan::new(Plan::Pro, BillingInterval::Month);
    let business = PaidPlan::new(Plan::Business, BillingInterval::Month);
    let cases = [
        (vec![], None),
        (vec![billed("a", Status::Canceled, pro, 1)], Some("a")),
        (vec![billed("a", Status::Canceled, pro, 1), billed("b", Status::Incomplete, pro, 0)], Some("b")),
        (vec![billed("a", Status::PastDue, pro, 0), billed("b", Status::Incomplete, business, 9)], Some("a")),
        (vec![billed("a", Status::Active, pro, 9), billed("b", Status::Active, business, 0)], Some("b")),
        (vec![billed("a", Status::Canceled, pro, 9), billed("b", Status::Canceled, pro, 0)], Some("a")),
        (vec![billed("a", Status::Active, None, 9), billed("b", Status::Canceled, pro, 0)], Some("b")),
        (vec![billed("a", Status::Active, None, 9)], None),
    ];
    for (all, expected) in cases {
        assert_eq!(what_counts(&all, None).map(|found| found.id.as_str()), expected, "{all:?}");
    }
}

#[test]
fn a_subscription_whose_price_left_the_settings_keeps_its_plan() {
    let business = PaidPlan::new(Plan::Business, BillingInterval::Year);
    let before = billed("a", SubscriptionStatus::Active, business, 1).subscription(None);
    let renewed = billed("a", SubscriptionStatus::Active, None, 2);
    let all = [renewed];
    let found = what_counts(&all, before.as_ref()).unwrap().subscription(before.as_ref()).unwrap();
    assert_eq!((found.plan, found.interval), (Plan::Business, BillingInterval::Year));
    assert_eq!(found.current_period_end.as_second(), 11);
}
