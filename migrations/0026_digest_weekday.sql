-- On which day of the week in UTC weekly mails come, from 1 for Monday to 7 for Sunday.
-- Why: Monday morning in Tokyo or Sydney is a Sunday in UTC, and the mail came on Tuesday.

ALTER TABLE reminder_digest ADD COLUMN weekday_utc BIGINT NOT NULL DEFAULT 1
    CONSTRAINT reminder_digest_weekday CHECK (weekday_utc BETWEEN 1 AND 7);
