-- Wishes that a subscription ends.
-- Why: people ask, and support sees to it within a day; a mail that is lost must not lose the wish.

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
