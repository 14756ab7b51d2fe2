//! Events, webhooks and their deliveries.

messages! {
    EVENTS;
    /// A webhook that does not exist or belongs to somebody else.
    WEBHOOK_NOT_FOUND = "This webhook does not exist. It may have been deleted.";
    /// A delivery of a webhook that does not exist.
    WEBHOOK_DELIVERY_NOT_FOUND = "There is no such delivery, or it is being sent right now.";
    /// Deliveries of a state that there is none of.
    DELIVERY_STATE = "`state` must be `waiting`, `delivered` or `dead`.";
    /// A place in the stream of events that is none.
    EVENT_ID = "This is not the id of an event. Please use a number that the stream gave, or begin without one.";
    /// A webhook without the plan for it.
    WEBHOOK_PLAN_NEEDED = "Webhooks are part of the Business plan. Please upgrade to Business to use them.";
    /// A webhook whose account had the plan for it once.
    WEBHOOK_PLAN_LAPSED = "Nothing is sent: webhooks are part of the Business plan, which has ended. What waits is kept for 30 days and sent once you have the plan again.";
    /// A webhook on a server that connects nowhere.
    WEBHOOKS_FORBIDDEN = "This server connects to no other machine, so it sends no webhooks.";
    /// An account with as many webhooks as it may have.
    TOO_MANY_WEBHOOKS = "You have 10 webhooks, which is the most. Please delete one first.";
    /// Where a webhook goes to is no address.
    WEBHOOK_URL = "Please give an address such as https://shop.example.com/hooks, without a password and without a part after #.";
    /// Where a webhook goes to is longer than an address may be.
    WEBHOOK_URL_TOO_LONG = "The address is too long: it may have at most 2,000 bytes.";
    /// Where a webhook goes to is not encrypted.
    WEBHOOK_NOT_ENCRYPTED = "Please give an address that begins with https://: what is sent there is private.";
    /// Where a webhook goes to is inside.
    WEBHOOK_INSIDE = "This address leads into a private network or to the server itself, where no webhook may go.";
    /// The answer to a webhook leads elsewhere.
    WEBHOOK_REDIRECT = "The address redirects elsewhere, which is not followed. Please give the final address.";
    /// The answer to a webhook is no success.
    WEBHOOK_STATUS = "The answer was not a success (2xx).";
    /// The answer to a webhook is 410.
    WEBHOOK_GONE = "The receiver answered 410 (Gone): it wants no more messages.";
    /// A webhook was disabled before a delivery had all its tries.
    WEBHOOK_DISABLED = "The webhook was disabled, because nothing had arrived for three days.";
    /// There was no answer to a webhook.
    WEBHOOK_TIMED_OUT = "There was no answer within 10 seconds.";
    /// There was no connection for a webhook.
    WEBHOOK_NO_CONNECTION = "There was no connection: the name is unknown, nobody listens there, or the certificate is not valid.";
    /// The connection for a webhook ended before there was an answer, or what came was none.
    WEBHOOK_NO_ANSWER = "The receiver was reached, but gave no answer in HTTP: it closed the connection, or answered something else.";
}
