-- Reminders that arrive by themselves.
-- Why: what is due shows only to those who look. Each reminder is told once, also where several servers look for it, so
-- what was told stands in rows; and who wants a mail of what is due says how often.

-- What was told of a tenant's vehicles. Its id changes when the work is done or when it is due another way.
CREATE TABLE reminder_notice (
    tenant_id TEXT   NOT NULL,
    alert_id  TEXT   NOT NULL,
    told_at   BIGINT NOT NULL,
    CONSTRAINT reminder_notice_pk PRIMARY KEY (tenant_id, alert_id),
    CONSTRAINT reminder_notice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX reminder_notice_by_age ON reminder_notice (told_at);

-- When a tenant's vehicles were looked at last: one server at a time does that.
CREATE TABLE reminder_check (
    tenant_id  TEXT   NOT NULL,
    checked_at BIGINT NOT NULL,
    CONSTRAINT reminder_check_pk PRIMARY KEY (tenant_id),
    CONSTRAINT reminder_check_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

-- Who wants a mail of what is due.
CREATE TABLE reminder_digest (
    user_id           TEXT   NOT NULL,
    rhythm            TEXT   NOT NULL,
    hour_utc          BIGINT NOT NULL,
    next_at           BIGINT NOT NULL,
    -- In the clear, as every mail has it: all that it opens is the end of these mails.
    unsubscribe_token TEXT   NOT NULL,
    -- The ids of what the last mail told, as a JSON list: a daily mail is sent where there is something new.
    mailed            TEXT   NOT NULL DEFAULT '[]',
    CONSTRAINT reminder_digest_pk PRIMARY KEY (user_id),
    CONSTRAINT reminder_digest_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT reminder_digest_known_rhythm CHECK (rhythm IN ('daily', 'weekly')),
    CONSTRAINT reminder_digest_hour CHECK (hour_utc BETWEEN 0 AND 23)
);

CREATE UNIQUE INDEX reminder_digest_by_token ON reminder_digest (unsubscribe_token);
CREATE INDEX reminder_digest_due ON reminder_digest (next_at);
