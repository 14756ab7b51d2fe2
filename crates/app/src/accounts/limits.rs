use std::net::IpAddr;
use std::time::{Duration, Instant};

use partsight_domain::{EmailAddress, LinkPurpose, UserId};

use crate::Result;
use crate::limits::rate_limit::RateLimit;

/// After this time, a failed sign-in to one account from one address is forgiven.
const ACCOUNT_INTERVAL: Duration = Duration::from_secs(90);
/// After this time, a failed sign-in from one address, to any account, is forgiven.
const ADDRESS_INTERVAL: Duration = Duration::from_secs(18);
/// Failed sign-ins from one address, in multiples of those to one account: an address may be a whole office.
const ACCOUNTS_AN_ADDRESS: u32 = 5;
/// Subscribers of one IPv6 site (/48) that a limit allows for at a time: a site can be one customer with 65,536 networks,
/// or as many customers.
const SUBSCRIBERS_A_SITE: u32 = 4;
/// Sign-ups and requested mails from one address, in multiples of the failed sign-ins to one account.
const MAILS_AN_ADDRESS: u32 = 20;
/// Burst of links to one mailbox, and the interval until one more.
const MAILS_A_MAILBOX: u32 = 3;
const MAILBOX_INTERVAL: Duration = Duration::from_mins(20);
/// Burst of invitations by one person, in multiples of the failed sign-ins to one account, and the interval until one
/// more. Each is a mail to an address that they choose.
const INVITATIONS_A_PERSON: u32 = 5;
const INVITATION_INTERVAL: Duration = Duration::from_mins(5);

/// Burst of orders by one person, in multiples of the failed sign-ins to one account, and the interval until one
/// more. Each makes some calls to the payment provider.
const ORDERS_A_PERSON: u32 = 2;
const ORDER_INTERVAL: Duration = Duration::from_mins(1);

/// Burst of successful checks of one account's password, and the interval until one more: each costs a hashing, and a
/// sign-in a row.
const SIGN_INS_AN_ACCOUNT: u32 = 100;
const SIGN_IN_INTERVAL: Duration = Duration::from_secs(30);

/// Burst of API keys made by one person, in multiples of the failed sign-ins to one account, and the interval until one
/// more.
const KEYS_A_PERSON: u32 = 4;
const KEY_INTERVAL: Duration = Duration::from_mins(1);

/// Limits that keep guessing of passwords slow, and mailboxes from being flooded.
pub(crate) struct AccountLimits {
    by_account: NetworkLimit,
    by_address: NetworkLimit,
    mails_by_address: NetworkLimit,
    mails_by_mailbox: RateLimit,
    invitations: RateLimit,
    orders: RateLimit,
    sign_ins: RateLimit,
    keys: RateLimit,
}

/// An attempt that counts until it is taken back.
pub(super) struct Attempt<'a> {
    limits: &'a AccountLimits,
    email: String,
    address: IpAddr,
}

/// The check of a password of an account that exists, which counts only if it succeeds: strangers must not use up the
/// sign-ins of an account.
pub(super) struct PasswordCheck<'a> {
    limits: &'a AccountLimits,
    /// `None` once it has succeeded.
    email: Option<String>,
}

impl AccountLimits {
    /// `attempts` failed sign-ins in a burst to one account from one address; 0 for no limits at all.
    pub(super) fn new(attempts: u32) -> Self {
        // For `RateLimit` 0 means no limit, and the other constants are multiplied by the 0 attempts.
        let mailbox = if attempts == 0 { 0 } else { MAILS_A_MAILBOX };
        Self {
            by_account: NetworkLimit::new(attempts, ACCOUNT_INTERVAL),
            by_address: NetworkLimit::new(attempts.saturating_mul(ACCOUNTS_AN_ADDRESS), ADDRESS_INTERVAL),
            mails_by_address: NetworkLimit::new(attempts.saturating_mul(MAILS_AN_ADDRESS), ADDRESS_INTERVAL),
            mails_by_mailbox: RateLimit::new(mailbox, MAILBOX_INTERVAL),
            invitations: RateLimit::new(attempts.saturating_mul(INVITATIONS_A_PERSON), INVITATION_INTERVAL),
            orders: RateLimit::new(attempts.saturating_mul(ORDERS_A_PERSON), ORDER_INTERVAL),
            keys: RateLimit::new(attempts.saturating_mul(KEYS_A_PERSON), KEY_INTERVAL),
            sign_ins: RateLimit::new(if attempts == 0 { 0 } else { SIGN_INS_AN_ACCOUNT }, SIGN_IN_INTERVAL),
        }
    }

    /// Counts an attempt to authenticate. It is counted before its outcome is known, so that concurrent attempts are
    /// all counted.
    pub(super) fn begin(&self, email: &str, address: IpAddr, now: Instant) -> Result<Attempt<'_>> {
        // Account and address together: somebody who guesses from elsewhere must not lock the owner out.
        self.by_account.take(address, email, now)?;
        if let Err(error) = self.by_address.take(address, "", now) {
            // Refused before anything was tried, so it does not count against the account.
            self.by_account.give_back(address, email);
            return Err(error);
        }
        Ok(Attempt { limits: self, email: email.to_owned(), address })
    }

    /// Counts the check of a password, from any address.
    pub(super) fn begin_check(&self, email: &str, now: Instant) -> Result<PasswordCheck<'_>> {
        self.sign_ins.take(email, now)?;
        Ok(PasswordCheck { limits: self, email: Some(email.to_owned()) })
    }

    /// Counts a call from an address that costs work or sends a mail to an address of the caller's choice.
    pub(crate) fn take_mail(&self, address: IpAddr, now: Instant) -> Result<()> {
        self.mails_by_address.take(address, "", now)
    }

    /// Counts an invitation to this mailbox, whoever sends it. Separate from its other mails, so that invitations
    /// cannot block the link for a new password.
    pub(crate) fn take_invitation(&self, email: &EmailAddress, now: Instant) -> Result<()> {
        self.mails_by_mailbox.take(&invitation_key(email), now)
    }

    /// Takes back the invitation to this mailbox that was counted last.
    pub(crate) fn give_back_invitation(&self, email: &EmailAddress) {
        self.mails_by_mailbox.give_back(&invitation_key(email));
    }

    /// Counts an invitation by a person, from any address.
    pub(crate) fn take_invitation_by(&self, user_id: UserId, now: Instant) -> Result<()> {
        self.invitations.take(&user_id.to_string(), now)
    }

    /// Counts an order of a person, or another change of their subscription.
    pub(crate) fn take_order(&self, user_id: UserId, now: Instant) -> Result<()> {
        self.orders.take(&user_id.to_string(), now)
    }

    /// Counts a cancellation that a person asks for or withdraws, separately from orders, so that nobody is kept from
    /// cancelling.
    pub(crate) fn take_cancellation(&self, user_id: UserId, now: Instant) -> Result<()> {
        self.orders.take(&format!("cancellation {user_id}"), now)
    }

    /// Counts an API key that a person makes.
    pub(super) fn take_key(&self, user_id: UserId, now: Instant) -> Result<()> {
        self.keys.take(&user_id.to_string(), now)
    }

    /// Counts a link for this purpose to this mailbox, whoever requests it. Each purpose has its own limit: requests
    /// for new passwords of an address must not block the link that verifies it.
    pub(super) fn take_link(&self, email: &EmailAddress, purpose: LinkPurpose, now: Instant) -> Result<()> {
        self.mails_by_mailbox.take(&link_key(email, purpose), now)
    }

    /// Takes back the link for this purpose to this mailbox that was counted last.
    pub(super) fn give_back_link(&self, email: &EmailAddress, purpose: LinkPurpose) {
        self.mails_by_mailbox.give_back(&link_key(email, purpose));
    }
}

fn invitation_key(email: &EmailAddress) -> String {
    format!("invitation {}", email.as_str())
}

fn link_key(email: &EmailAddress, purpose: LinkPurpose) -> String {
    let purpose = match purpose {
        LinkPurpose::ResetPassword => "password",
        LinkPurpose::VerifyEmail => "address",
    };
    format!("{purpose} {}", email.as_str())
}

impl Attempt<'_> {
    /// The attempt succeeded, and does not count.
    pub(super) fn succeeded(self) {
        self.limits.by_account.give_back(self.address, &self.email);
        self.limits.by_address.give_back(self.address, "");
    }
}

impl PasswordCheck<'_> {
    /// The password was right, so the check counts.
    pub(super) fn succeeded(mut self) {
        self.email = None;
    }
}

impl Drop for PasswordCheck<'_> {
    fn drop(&mut self) {
        if let Some(email) = &self.email {
            self.limits.sign_ins.give_back(email);
        }
    }
}

/// A limit for the network of a subscriber, and a higher one for the IPv6 site that the network is part of.
struct NetworkLimit {
    subscribers: RateLimit,
    sites: RateLimit,
}

impl NetworkLimit {
    /// `burst` and `interval` as for [`RateLimit::new`], for one subscriber.
    fn new(burst: u32, interval: Duration) -> Self {
        Self {
            subscribers: RateLimit::new(burst, interval),
            sites: RateLimit::new(burst.saturating_mul(SUBSCRIBERS_A_SITE), interval / SUBSCRIBERS_A_SITE),
        }
    }

    /// Counts one use of `of` from an address.
    fn take(&self, address: IpAddr, of: &str, now: Instant) -> Result<()> {
        let subscriber = format!("{} {of}", network(address));
        self.subscribers.take(&subscriber, now)?;
        let Some(site) = site(address) else { return Ok(()) };
        self.sites.take(&format!("{site} {of}"), now).inspect_err(|_| self.subscribers.give_back(&subscriber))
    }

    fn give_back(&self, address: IpAddr, of: &str) {
        self.subscribers.give_back(&format!("{} {of}", network(address)));
        if let Some(site) = site(address) {
            self.sites.give_back(&format!("{site} {of}"));
        }
    }
}

/// The /48 network of an IPv6 address, the largest that a customer usually gets (RFC 6177).
fn site(address: IpAddr) -> Option<String> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Some(format!("{a:x}:{b:x}:{c:x}::"))
        }
    }
}

/// The network of one subscriber: an IPv4 address, or the /64 network of an IPv6 address (RFC 6177).
pub(crate) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_subscriber_is_one_address() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("203.0.113.7"), "203.0.113.7");
        assert_eq!(network("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), network("2001:db8:1:2::"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
    }

    #[test]
    fn an_ipv6_site_has_a_limit_beside_its_networks() {
        let limits = AccountLimits::new(2);
        let now = Instant::now();
        let address = |site: u16, network: u16| IpAddr::from([0x2001, 0xdb8, site, network, 0, 0, 0, 1]);
        for network in 0..8 {
            assert!(limits.begin("ann", address(1, network), now).is_ok(), "{network}");
        }
        assert!(limits.begin("ann", address(1, 8), now).is_err());
        assert!(limits.begin("bob", address(1, 8), now).is_ok());
        assert!(limits.begin("ann", address(2, 8), now).is_ok());
        assert!(limits.begin("ann", address(1, 9), now + ACCOUNT_INTERVAL / SUBSCRIBERS_A_SITE).is_ok());
        // A successful sign-in does not count for the site either.
        for network in 10..40 {
            limits.begin("eve", address(3, network), now).map(Attempt::succeeded).unwrap();
        }
    }

    #[test]
    fn an_account_signs_in_so_often_and_failures_do_not_count() {
        let (limits, now) = (AccountLimits::new(2), Instant::now());
        for _ in 0..200 {
            assert!(limits.begin_check("ann", now).is_ok());
        }
        for _ in 0..100 {
            limits.begin_check("ann", now).map(PasswordCheck::succeeded).unwrap();
        }
        assert!(limits.begin_check("ann", now).is_err());
        assert!(limits.begin_check("bob", now).is_ok());
        assert!(limits.begin_check("ann", now + SIGN_IN_INTERVAL).is_ok());
        assert!(AccountLimits::new(0).begin_check("ann", now).is_ok());
    }

    #[test]
    fn one_person_sends_few_invitations_at_once() {
        let limits = AccountLimits::new(2);
        let now = Instant::now();
        let (ann, bob) = (UserId(uuid::Uuid::from_u128(1)), UserId(uuid::Uuid::from_u128(2)));
        for number in 0..10 {
            assert!(limits.take_invitation_by(ann, now).is_ok(), "{number}");
        }
        assert!(limits.take_invitation_by(ann, now).is_err());
        assert!(limits.take_invitation_by(bob, now).is_ok());
        assert!(limits.take_invitation_by(ann, now + INVITATION_INTERVAL).is_ok());
    }

    #[test]
    fn an_account_and_an_address_have_limits_of_their_own() {
        let limits = AccountLimits::new(2);
        let now = Instant::now();
        let address = |last: u8| IpAddr::from([203, 0, 113, last]);
        for _ in 0..2 {
            assert!(limits.begin("ann", address(1), now).is_ok());
        }
        assert!(limits.begin("ann", address(1), now).is_err());
        // The owner at another address is not locked out.
        assert!(limits.begin("ann", address(2), now).is_ok());
        // Guessing one password for many accounts: 10 at once, 2 of which are used.
        for number in 0..8 {
            assert!(limits.begin(&format!("user {number}"), address(1), now).is_ok(), "{number}");
        }
        assert!(limits.begin("one more", address(1), now).is_err());
        // Successful sign-ins do not count.
        for _ in 0..100 {
            limits.begin("bob", address(3), now).map(Attempt::succeeded).unwrap();
        }
    }
}
