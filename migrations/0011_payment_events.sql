-- The events of the payment provider that were seen to.
-- Why: the provider sends an event again when it is not sure that it arrived, and anybody who has recorded one
-- could.

CREATE TABLE payment_event (
    event_id    TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    CONSTRAINT payment_event_pk PRIMARY KEY (event_id)
);

CREATE INDEX payment_event_by_age ON payment_event (received_at);
