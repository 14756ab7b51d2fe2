-- Reminders as notifications in browsers (web push).
-- Why: a browser says where its push service takes messages for it. Messages are rows that servers claim, as deliveries of
-- webhooks are, and written in the transaction that notes a reminder as told.

-- Keys that this installation made for itself: all servers of one database share them.
CREATE TABLE server_key (
    name       TEXT   NOT NULL,
    -- In the clear, as messages are signed with it.
    secret     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT server_key_pk PRIMARY KEY (name)
);

CREATE TABLE push_subscription (
    user_id              TEXT   NOT NULL,
    -- SHA-256 of the endpoint, in hexadecimal: the browser can work it out, and it is no secret where the endpoint is one.
    push_subscription_id TEXT   NOT NULL,
    -- Where the push service takes messages, and what they are encrypted with; in the clear, as each message needs them.
    endpoint             TEXT   NOT NULL,
    p256dh               TEXT   NOT NULL,
    auth                 TEXT   NOT NULL,
    -- The session that the browser had. Without a foreign key: who signs out loses the notifications with the session, but a
    -- session that merely runs out must not end reminders of things that are due once a year.
    session_id           TEXT   NOT NULL,
    -- Such as "Firefox on Windows".
    browser              TEXT   NOT NULL DEFAULT '',
    created_at           BIGINT NOT NULL,
    CONSTRAINT push_subscription_pk PRIMARY KEY (user_id, push_subscription_id),
    CONSTRAINT push_subscription_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);

CREATE INDEX push_subscription_by_session ON push_subscription (session_id);
CREATE INDEX push_subscription_by_endpoint ON push_subscription (push_subscription_id);

-- One message for one browser; there only until it was taken or given up.
CREATE TABLE push_message (
    push_message_id      TEXT   NOT NULL,
    user_id              TEXT   NOT NULL,
    push_subscription_id TEXT   NOT NULL,
    -- Whose vehicles it speaks of: whoever has left the company since must not get it.
    tenant_id            TEXT   NOT NULL,
    -- A JSON object.
    body                 TEXT   NOT NULL,
    attempts             BIGINT NOT NULL DEFAULT 0,
    next_at              BIGINT NOT NULL,
    -- Who is trying, and until when it is theirs.
    lease_worker         TEXT,
    lease_until          BIGINT,
    created_at           BIGINT NOT NULL,
    CONSTRAINT push_message_pk PRIMARY KEY (push_message_id),
    CONSTRAINT push_message_subscription_fk FOREIGN KEY (user_id, push_subscription_id)
        REFERENCES push_subscription (user_id, push_subscription_id) ON DELETE CASCADE,
    CONSTRAINT push_message_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT push_message_lease_ends CHECK ((lease_worker IS NULL) = (lease_until IS NULL))
);

CREATE INDEX push_message_due ON push_message (next_at);
CREATE INDEX push_message_by_subscription ON push_message (user_id, push_subscription_id);
CREATE INDEX push_message_by_tenant ON push_message (tenant_id);
