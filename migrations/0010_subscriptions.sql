-- Who is a customer of the payment provider, and where their subscription stands there.
-- Why: the plan follows from what the provider says, and must be known while it cannot be asked.

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
