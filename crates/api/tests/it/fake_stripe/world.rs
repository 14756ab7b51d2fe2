//! What the stand-in knows, and what time and customers do to it.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::objects;

/// Hours of a month and of a year here; a real calendar would add nothing.
const MONTH_HOURS: i64 = 30 * 24;
const YEAR_HOURS: i64 = 365 * 24;

/// What the customer's card does when it is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Card {
    #[default]
    Works,
    /// The bank wants the customer to confirm, which succeeds.
    NeedsConfirmation,
    Declines,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// Every call is answered 500.
    Down,
    /// No call is answered before there is another fault, or none.
    Silent,
    /// The next write is done, but its answer never arrives.
    LosesAnswer,
    /// A price costs something else than our table says.
    OtherPrice,
    /// The prices are archived.
    ArchivedPrice,
    /// The prices are gone.
    NoPrice,
}

pub(super) struct Customer {
    pub(super) id: String,
    pub(super) email: String,
    pub(super) metadata: Value,
    pub(super) created: i64,
    pub(super) is_deleted: bool,
}

pub(super) struct Subscription {
    pub(super) id: String,
    pub(super) item: String,
    pub(super) customer: String,
    pub(super) price: String,
    pub(super) status: &'static str,
    pub(super) created: i64,
    pub(super) period_start: i64,
    pub(super) period_end: i64,
    pub(super) cancel_at_period_end: bool,
    pub(super) invoice: String,
    /// Price and invoice of a change that waits for its payment.
    pub(super) pending: Option<(String, String)>,
}

impl Subscription {
    pub(super) fn is_open(&self) -> bool {
        !["canceled", "incomplete_expired"].contains(&self.status)
    }
}

pub(super) struct Invoice {
    pub(super) id: String,
    pub(super) customer: String,
    pub(super) subscription: String,
    pub(super) amount: i64,
    pub(super) status: &'static str,
    pub(super) secret: String,
    pub(super) created: i64,
}

/// An answer that is given again for the same key.
pub(super) struct Replay {
    pub(super) request: String,
    pub(super) status: u16,
    pub(super) body: Value,
}

pub(super) struct World {
    pub(super) now: i64,
    pub(super) card: Card,
    pub(super) fault: Fault,
    pub(super) customers: Vec<Customer>,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) invoices: Vec<Invoice>,
    pub(super) replays: HashMap<String, Replay>,
    pub(super) writes: Vec<(String, Option<String>)>,
    pub(super) events: Vec<Value>,
    /// Calls that have come, answered or not.
    pub(super) n_calls: usize,
    n_ids: usize,
}

impl Default for World {
    fn default() -> Self {
        Self {
            now: 1_800_000_000,
            card: Card::default(),
            fault: Fault::default(),
            customers: Vec::new(),
            subscriptions: Vec::new(),
            invoices: Vec::new(),
            replays: HashMap::new(),
            writes: Vec::new(),
            events: Vec::new(),
            n_calls: 0,
            n_ids: 0,
        }
    }
}

impl World {
    pub(super) fn new_id(&mut self, prefix: &str) -> String {
        self.n_ids += 1;
        format!("{prefix}_{:08}", self.n_ids)
    }

    /// Notes an event of a subscription as it is now.
    pub(super) fn emit(&mut self, kind: &str, index: usize) {
        let subscription = &self.subscriptions[index];
        let object = objects::subscription(subscription, &json!(subscription.invoice));
        self.emit_object(kind, &object);
    }

    fn emit_invoice(&mut self, kind: &str, invoice_id: &str) {
        let object = objects::invoice(self.invoice(invoice_id), false);
        self.emit_object(kind, &object);
    }

    fn emit_object(&mut self, kind: &str, object: &Value) {
        let id = self.new_id("evt");
        self.events.push(objects::event(&id, kind, self.now, object));
    }

    pub(super) fn invoice(&self, id: &str) -> &Invoice {
        self.invoices.iter().find(|invoice| invoice.id == id).unwrap()
    }

    fn invoice_mut(&mut self, id: &str) -> &mut Invoice {
        self.invoices.iter_mut().find(|invoice| invoice.id == id).unwrap()
    }

    pub(super) fn new_invoice(&mut self, customer: &str, subscription: &str, amount: i64) -> String {
        let id = self.new_id("in");
        let secret = format!("{}_secret_{}", self.new_id("pi"), self.new_id("s"));
        self.invoices.push(Invoice {
            id: id.clone(),
            customer: customer.to_owned(),
            subscription: subscription.to_owned(),
            amount,
            status: "open",
            secret,
            created: self.now,
        });
        id
    }

    /// A subscription that waits for its first payment.
    pub(super) fn new_subscription(&mut self, customer: &str, price: &str) -> usize {
        let (id, item) = (self.new_id("sub"), self.new_id("si"));
        let (amount, _) = objects::amount_and_interval(price).unwrap();
        let invoice = self.new_invoice(customer, &id, amount);
        self.subscriptions.push(Subscription {
            id,
            item,
            customer: customer.to_owned(),
            price: price.to_owned(),
            status: "incomplete",
            created: self.now,
            period_start: self.now,
            period_end: self.now + period_seconds(price),
            cancel_at_period_end: false,
            invoice,
            pending: None,
        });
        let index = self.subscriptions.len() - 1;
        self.emit("customer.subscription.created", index);
        index
    }

    /// Another price for an active subscription: charged at once, or waiting for the customer.
    pub(super) fn change(&mut self, index: usize, price: &str) {
        let (customer, id, old, left) = {
            let found = &self.subscriptions[index];
            let length = found.period_end - found.period_start;
            let left = (found.period_end - self.now).clamp(0, length) * 1000 / length.max(1);
            (found.customer.clone(), found.id.clone(), found.price.clone(), left)
        };
        let (new_amount, new_interval) = objects::amount_and_interval(price).unwrap();
        let (old_amount, old_interval) = objects::amount_and_interval(&old).unwrap();
        let new_share = if new_interval == old_interval { new_amount * left / 1000 } else { new_amount };
        let amount = (new_share - old_amount * left / 1000).max(0);
        let invoice = self.new_invoice(&customer, &id, amount);
        let found = &mut self.subscriptions[index];
        found.invoice.clone_from(&invoice);
        found.pending = Some((price.to_owned(), invoice.clone()));
        if amount == 0 || self.card == Card::Works {
            self.paid(&invoice);
        } else {
            self.emit_invoice("invoice.payment_failed", &invoice);
            self.emit("customer.subscription.updated", index);
        }
    }

    /// The money for an invoice has come.
    fn paid(&mut self, invoice_id: &str) {
        self.invoice_mut(invoice_id).status = "paid";
        let subscription = self.invoice(invoice_id).subscription.clone();
        let index = self.subscriptions.iter().position(|found| found.id == subscription).unwrap();
        let now = self.now;
        let found = &mut self.subscriptions[index];
        found.status = "active";
        if let Some((price, _)) = found.pending.take_if(|(_, invoice)| invoice == invoice_id) {
            if period_seconds(&price) != period_seconds(&found.price) {
                (found.period_start, found.period_end) = (now, now + period_seconds(&price));
            }
            found.price = price;
        }
        self.emit_invoice("invoice.paid", invoice_id);
        self.emit("customer.subscription.updated", index);
    }

    pub(super) fn confirm(&mut self, client_secret: &str) -> Result<(), String> {
        let found = self.invoices.iter().find(|invoice| invoice.secret == client_secret);
        let invoice = found.filter(|invoice| invoice.status == "open");
        let Some(id) = invoice.map(|invoice| invoice.id.clone()) else {
            return Err("This PaymentIntent cannot be confirmed.".to_owned());
        };
        if self.card == Card::Declines {
            self.emit_invoice("invoice.payment_failed", &id);
            return Err("Your card was declined.".to_owned());
        }
        self.paid(&id);
        Ok(())
    }

    fn open(&self) -> usize {
        let open: Vec<usize> =
            (0..self.subscriptions.len()).filter(|&index| self.subscriptions[index].is_open()).collect();
        assert_eq!(open.len(), 1, "{:?}", self.statuses());
        open[0]
    }

    pub(super) fn hours_to_period_end(&self) -> i64 {
        (self.subscriptions[self.open()].period_end - self.now) / 3600
    }

    pub(super) fn end_period(&mut self) {
        let index = self.open();
        if self.subscriptions[index].cancel_at_period_end {
            self.end(index);
            return;
        }
        let found = &mut self.subscriptions[index];
        found.period_start = found.period_end;
        found.period_end += period_seconds(&found.price);
        let (customer, id) = (found.customer.clone(), found.id.clone());
        let (amount, _) = objects::amount_and_interval(&found.price).unwrap();
        let invoice = self.new_invoice(&customer, &id, amount);
        self.subscriptions[index].invoice.clone_from(&invoice);
        if self.card == Card::Works {
            self.paid(&invoice);
        } else {
            self.subscriptions[index].status = "past_due";
            self.emit_invoice("invoice.payment_failed", &invoice);
            self.emit("customer.subscription.updated", index);
        }
    }

    pub(super) fn give_up(&mut self) {
        let index = self.open();
        self.end(index);
    }

    pub(super) fn expire(&mut self) {
        let index = self.open();
        self.subscriptions[index].status = "incomplete_expired";
        let invoice = self.subscriptions[index].invoice.clone();
        self.invoice_mut(&invoice).status = "void";
        self.emit("customer.subscription.updated", index);
    }

    pub(super) fn end(&mut self, index: usize) {
        let found = &mut self.subscriptions[index];
        found.status = "canceled";
        found.cancel_at_period_end = false;
        let invoice = found.invoice.clone();
        let invoice = self.invoice_mut(&invoice);
        if invoice.status == "open" {
            invoice.status = "void";
        }
        self.emit("customer.subscription.deleted", index);
    }

    pub(super) fn set_status(&mut self, status: &'static str) {
        let index = self.open();
        self.subscriptions[index].status = status;
        self.emit("customer.subscription.updated", index);
    }

    pub(super) fn set_price(&mut self, price: &str) {
        let index = self.open();
        price.clone_into(&mut self.subscriptions[index].price);
        self.emit("customer.subscription.updated", index);
    }

    pub(super) fn subscribe_elsewhere(&mut self, price: &str) {
        let customer = self.customers[0].id.clone();
        let index = self.new_subscription(&customer, price);
        let invoice = self.subscriptions[index].invoice.clone();
        self.paid(&invoice);
    }

    pub(super) fn delete_customers(&mut self) {
        for index in 0..self.customers.len() {
            self.delete_customer(index);
        }
    }

    pub(super) fn delete_customer(&mut self, index: usize) {
        self.customers[index].is_deleted = true;
        let id = self.customers[index].id.clone();
        for index in 0..self.subscriptions.len() {
            if self.subscriptions[index].customer == id && self.subscriptions[index].is_open() {
                self.end(index);
            }
        }
    }

    pub(super) fn statuses(&self) -> Vec<String> {
        self.subscriptions.iter().map(|found| found.status.to_owned()).collect()
    }
}

fn period_seconds(price: &str) -> i64 {
    let (_, interval) = objects::amount_and_interval(price).unwrap();
    3600 * if interval == "month" { MONTH_HOURS } else { YEAR_HOURS }
}
