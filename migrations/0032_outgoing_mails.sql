-- Mails that are to be sent.
-- Why: a mail that waited in memory was lost where the server died before it was sent, and the answer had promised it. A
-- mail is written in the transaction of what it tells of, and servers claim it, as they do deliveries of webhooks.

CREATE TABLE outgoing_mail (
    outgoing_mail_id TEXT   NOT NULL,
    -- Whom it is about; it goes with the account. None where nobody was signed in, and for a link that sets a password:
    -- whether its address has an account is looked up when it is sent.
    user_id          TEXT,
    recipient        TEXT   NOT NULL,
    subject          TEXT   NOT NULL,
    -- Without the secret of a link, which is made when the mail is sent: its place is the character U+001A.
    body             TEXT   NOT NULL,
    reply_to         TEXT,
    -- What the link in it opens.
    link_purpose     TEXT,
    invitation_id    TEXT,
    attempts         BIGINT NOT NULL DEFAULT 0,
    next_at          BIGINT NOT NULL,
    -- Who is trying, and until when it is theirs.
    lease_worker     TEXT,
    lease_until      BIGINT,
    created_at       BIGINT NOT NULL,
    CONSTRAINT outgoing_mail_pk PRIMARY KEY (outgoing_mail_id),
    CONSTRAINT outgoing_mail_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT outgoing_mail_invitation_fk FOREIGN KEY (invitation_id) REFERENCES company_invitation (invitation_id)
        ON DELETE CASCADE,
    CONSTRAINT outgoing_mail_known_purpose CHECK (link_purpose IN ('verify-email', 'reset-password')),
    CONSTRAINT outgoing_mail_one_link CHECK (link_purpose IS NULL OR invitation_id IS NULL),
    CONSTRAINT outgoing_mail_lease_ends CHECK ((lease_worker IS NULL) = (lease_until IS NULL))
);

CREATE INDEX outgoing_mail_due ON outgoing_mail (next_at);
CREATE INDEX outgoing_mail_by_user ON outgoing_mail (user_id);
CREATE INDEX outgoing_mail_by_recipient ON outgoing_mail (recipient);
CREATE INDEX outgoing_mail_by_invitation ON outgoing_mail (invitation_id);
