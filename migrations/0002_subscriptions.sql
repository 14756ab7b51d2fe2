-- Subscriptions at the payment provider, requests to cancel one, and messages to support.
-- Why: the provider and the mail server can fail, and neither a payment nor a request may be lost with them.

-- The plan follows from what the provider says, and must be known while it cannot be asked.
CREATE TABLE subscription (
    user_id              TEXT   NOT NULL,
    -- The id of the customer at the provider; none until the first order.
    customer_id          TEXT,
    -- What the provider last said of the subscription that counts: all of these columns or none.
    provider_id          TEXT,
    status               TEXT,
    plan                 TEXT,
    billing_interval     TEXT,
    price_id             TEXT,
    current_period_end   BIGINT,
    cancel_at_period_end BIGINT NOT NULL DEFAULT 0,
    -- When the provider was last asked, and when the newest event happened that it sent.
    checked_at           BIGINT,
    last_event_at        BIGINT,
    -- Raised by each write: an answer that was asked for before another one was saved must not stand above it.
    revision             BIGINT NOT NULL DEFAULT 0,
    -- Somebody's change of this subscription runs until then, unless it ends before: two orders at once must not
    -- make two subscriptions.
    busy_until           BIGINT NOT NULL DEFAULT 0,
    -- Names the change to the provider. It is kept when the provider did not answer, so that the next try is
    -- known there as the same one.
    attempt_id           TEXT,
    CONSTRAINT subscription_pk PRIMARY KEY (user_id),
    CONSTRAINT subscription_customer_taken UNIQUE (customer_id),
    CONSTRAINT subscription_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT subscription_known_status CHECK (status IN (
        'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'canceled', 'paused')),
    CONSTRAINT subscription_paid_plan CHECK (plan IN ('pro', 'business')),
    CONSTRAINT subscription_known_interval CHECK (billing_interval IN ('month', 'year')),
    CONSTRAINT subscription_ends_flag CHECK (cancel_at_period_end IN (0, 1)),
    CONSTRAINT subscription_whole CHECK (
        (provider_id IS NULL) = (status IS NULL) AND (provider_id IS NULL) = (plan IS NULL)
        AND (provider_id IS NULL) = (billing_interval IS NULL) AND (provider_id IS NULL) = (price_id IS NULL)
        AND (provider_id IS NULL) = (current_period_end IS NULL))
);

-- Events of the provider that were processed: it sends an event again when it is not sure that it arrived, and so can
-- anybody who has recorded one.
CREATE TABLE payment_event (
    event_id    TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    CONSTRAINT payment_event_pk PRIMARY KEY (event_id)
);

CREATE INDEX payment_event_by_age ON payment_event (received_at);

-- People ask, and support answers within a day; a mail that is lost must not lose the request.
CREATE TABLE cancellation_request (
    cancellation_request_id TEXT   NOT NULL,
    user_id                 TEXT   NOT NULL,
    requested_at            BIGINT NOT NULL,
    state                   TEXT   NOT NULL DEFAULT 'open',
    -- When it was approved or withdrawn.
    closed_at               BIGINT,
    CONSTRAINT cancellation_request_pk PRIMARY KEY (cancellation_request_id),
    CONSTRAINT cancellation_request_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id)
        ON DELETE CASCADE,
    CONSTRAINT cancellation_request_known_state CHECK (state IN ('open', 'approved', 'withdrawn')),
    CONSTRAINT cancellation_request_closed CHECK ((state = 'open') = (closed_at IS NULL))
);

CREATE INDEX cancellation_request_by_user ON cancellation_request (user_id);
-- Asking twice is asking once.
CREATE UNIQUE INDEX cancellation_request_one_open ON cancellation_request (user_id) WHERE state = 'open';

-- What people wrote to support: a mail can be lost, and a server without a mail server must keep them.
CREATE TABLE contact_message (
    message_id TEXT   NOT NULL,
    -- Who wrote while signed in; the message stays when the account goes.
    user_id    TEXT,
    name       TEXT   NOT NULL,
    email      TEXT   NOT NULL,
    subject    TEXT,
    message    TEXT   NOT NULL,
    -- Why it was taken for spam and not mailed; none for what people write.
    trapped_by TEXT,
    created_at BIGINT NOT NULL,
    CONSTRAINT contact_message_pk PRIMARY KEY (message_id),
    CONSTRAINT contact_message_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT contact_message_known_trap CHECK (trapped_by IN ('hidden-field', 'too-fast', 'links'))
);

CREATE INDEX contact_message_by_age ON contact_message (created_at);
CREATE INDEX contact_message_by_user ON contact_message (user_id);
