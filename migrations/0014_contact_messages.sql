-- What people wrote to support.
-- Why: a mail can be lost, and a server without a mail server must not lose what people write.

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
