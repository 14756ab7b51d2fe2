//! Stripe's objects as its API reference documents them.

use serde_json::{Value, json};

use super::PRICES;
use super::world::{Customer, Invoice, Subscription};

pub(super) fn customer(customer: &Customer) -> Value {
    json!({
        "id": customer.id, "object": "customer", "address": null, "balance": 0, "created": customer.created,
        "currency": null, "default_source": null, "delinquent": false, "description": null,
        "email": customer.email, "invoice_prefix": "0759376C",
        "invoice_settings": { "custom_fields": null, "default_payment_method": null, "footer": null,
                              "rendering_options": null },
        "livemode": false, "metadata": customer.metadata, "name": null, "next_invoice_sequence": 1,
        "phone": null, "preferred_locales": [], "shipping": null, "tax_exempt": "none", "test_clock": null,
    })
}

pub(super) fn price(id: &str) -> Option<Value> {
    let (amount, interval) = amount_and_interval(id)?;
    Some(json!({
        "id": id, "object": "price", "active": true, "billing_scheme": "per_unit", "created": 1_790_000_000,
        "currency": "usd", "custom_unit_amount": null, "livemode": false, "lookup_key": null, "metadata": {},
        "nickname": null, "product": "prod_NZKdYqrwEYx6iK", "recurring": {
            "interval": interval, "interval_count": 1, "meter": null, "trial_period_days": null,
            "usage_type": "licensed",
        },
        "tax_behavior": "unspecified", "tiers_mode": null, "transform_quantity": null, "type": "recurring",
        "unit_amount": amount, "unit_amount_decimal": amount.to_string(),
    }))
}

/// What a price costs, in cents, and how often. One that is not sold by us costs a dollar a month.
pub(super) fn amount_and_interval(price: &str) -> Option<(i64, &'static str)> {
    if price == "price_elsewhere" {
        return Some((100, "month"));
    }
    PRICES.iter().find(|(id, ..)| *id == price).map(|(_, amount, interval)| (*amount, *interval))
}

fn plan(id: &str) -> Value {
    let (amount, interval) = amount_and_interval(id).unwrap();
    json!({
        "id": id, "object": "plan", "active": true, "amount": amount, "amount_decimal": amount.to_string(),
        "billing_scheme": "per_unit", "created": 1_790_000_000, "currency": "usd", "interval": interval,
        "interval_count": 1, "livemode": false, "metadata": {}, "meter": null, "nickname": null,
        "product": "prod_NZKdYqrwEYx6iK", "tiers_mode": null, "transform_usage": null,
        "trial_period_days": null, "usage_type": "licensed",
    })
}

fn item(subscription: &Subscription, price_id: &str) -> Value {
    json!({
        "id": subscription.item, "object": "subscription_item", "billing_thresholds": null,
        "created": subscription.created, "current_period_end": subscription.period_end,
        "current_period_start": subscription.period_start, "discounts": [], "metadata": {},
        "plan": plan(price_id), "price": price(price_id), "quantity": 1, "subscription": subscription.id,
        "tax_rates": [],
    })
}

/// `invoice` is the id or the object, as the call asked for it.
pub(super) fn subscription(subscription: &Subscription, invoice: &Value) -> Value {
    let pending = subscription.pending.as_ref().map(|(price, _)| {
        json!({
            "billing_cycle_anchor": null, "expires_at": subscription.period_start + 82_800,
            "subscription_items": [item(subscription, price)], "trial_end": null, "trial_from_plan": null,
        })
    });
    let first = json!({
        "id": subscription.id, "object": "subscription", "application": null, "application_fee_percent": null,
        "automatic_tax": { "disabled_reason": null, "enabled": false, "liability": null },
        "billing_cycle_anchor": subscription.created, "billing_cycle_anchor_config": null,
        "billing_mode": { "flexible": null, "type": "classic" }, "billing_schedules": [],
        "billing_thresholds": null,
        "cancel_at": subscription.cancel_at_period_end.then_some(subscription.period_end),
        "cancel_at_period_end": subscription.cancel_at_period_end, "canceled_at": null,
        "cancellation_details": { "comment": null, "feedback": null, "reason": null },
        "collection_method": "charge_automatically", "created": subscription.created, "currency": "usd",
        "customer": subscription.customer, "days_until_due": null, "default_payment_method": null,
    });
    let second = json!({
        "default_source": null, "default_tax_rates": [], "description": null, "discounts": [],
        "ended_at": null, "invoice_settings": { "account_tax_ids": null, "issuer": { "type": "self" } },
        "items": {
            "object": "list", "data": [item(subscription, &subscription.price)], "has_more": false,
            "total_count": 1, "url": format!("/v1/subscription_items?subscription={}", subscription.id),
        },
        "latest_invoice": invoice, "livemode": false, "metadata": {},
        "next_pending_invoice_item_invoice": null, "on_behalf_of": null, "pause_collection": null,
        "payment_settings": {
            "payment_method_options": null, "payment_method_types": null,
            "save_default_payment_method": "on_subscription",
        },
        "pending_invoice_item_interval": null, "pending_setup_intent": null, "pending_update": pending,
        "schedule": null, "start_date": subscription.created, "status": subscription.status,
        "test_clock": null, "transfer_data": null, "trial_end": null,
        "trial_settings": { "end_behavior": { "missing_payment_method": "create_invoice" } },
        "trial_start": null,
    });
    joined(first, second)
}

/// One object of the fields of two: the macro takes only so many at a time.
fn joined(mut first: Value, second: Value) -> Value {
    if let (Value::Object(first), Value::Object(second)) = (&mut first, second) {
        first.extend(second);
    }
    first
}

/// The confirmation secret is there where it was asked for.
pub(super) fn invoice(invoice: &Invoice, with_secret: bool) -> Value {
    let paid = if invoice.status == "paid" { invoice.amount } else { 0 };
    let secret = with_secret.then(|| json!({ "client_secret": invoice.secret, "type": "payment_intent" }));
    let first = json!({
        "id": invoice.id, "object": "invoice", "account_country": "US", "account_name": "Partsight",
        "amount_due": invoice.amount, "amount_overpaid": 0, "amount_paid": paid,
        "amount_remaining": invoice.amount - paid, "amount_shipping": 0, "attempt_count": 0,
        "attempted": invoice.status == "paid", "auto_advance": false,
        "automatic_tax": { "disabled_reason": null, "enabled": false, "liability": null, "status": null },
        "billing_reason": "subscription_create", "collection_method": "charge_automatically",
        "confirmation_secret": secret, "created": invoice.created, "currency": "usd",
        "customer": invoice.customer, "default_tax_rates": [], "description": null, "discounts": [],
        "due_date": null, "issuer": { "type": "self" },
    });
    let second = json!({
        "lines": {
            "object": "list", "has_more": false, "url": format!("/v1/invoices/{}/lines", invoice.id), "data": [{
                "id": format!("il_{}", invoice.id), "object": "line_item", "amount": invoice.amount,
                "currency": "usd", "description": "1 × Partsight", "discount_amounts": [],
                "discountable": true, "discounts": [], "invoice": invoice.id, "livemode": false,
                "metadata": {}, "parent": null,
                "period": { "end": invoice.created, "start": invoice.created }, "quantity": 1,
                "subtotal": invoice.amount, "taxes": [],
            }],
        },
        "livemode": false, "metadata": {},
        "parent": {
            "quote_details": null, "type": "subscription_details",
            "subscription_details": { "metadata": {}, "subscription": invoice.subscription },
        },
        "payment_settings": {
            "default_mandate": null, "payment_method_options": null, "payment_method_types": null,
        },
        "period_end": invoice.created, "period_start": invoice.created,
        "post_payment_credit_notes_amount": 0, "pre_payment_credit_notes_amount": 0, "starting_balance": 0,
        "status": invoice.status,
        "status_transitions": {
            "finalized_at": invoice.created, "marked_uncollectible_at": null, "paid_at": null,
            "voided_at": null,
        },
        "subtotal": invoice.amount, "total": invoice.amount, "total_taxes": [],
    });
    joined(first, second)
}

pub(super) fn event(id: &str, kind: &str, created: i64, object: &Value) -> Value {
    json!({
        "id": id, "object": "event", "api_version": "2026-09-30.endive", "created": created,
        "data": { "object": object }, "livemode": false, "pending_webhooks": 1,
        "request": { "id": null, "idempotency_key": null }, "type": kind,
    })
}

pub(super) fn error(kind: &str, code: Option<&str>, message: &str) -> Value {
    json!({
        "error": {
            "code": code, "doc_url": "https://docs.stripe.com/error-codes", "message": message, "type": kind,
            "request_log_url": "https://dashboard.stripe.com/test/logs/req_1",
        },
    })
}
