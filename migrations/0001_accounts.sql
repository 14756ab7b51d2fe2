-- People and their signed-in browsers.
-- Why: every other row belongs to somebody, so accounts come first.
-- Moments are milliseconds since 1970 in UTC (BIGINT), ids are UUID v7 as text, and truth values are
-- BIGINT 0 or 1: three choices that SQLite and PostgreSQL store and compare alike.

CREATE TABLE app_user (
    user_id           TEXT   NOT NULL,
    email             TEXT   NOT NULL,
    password_hash     TEXT   NOT NULL,
    first_name        TEXT   NOT NULL,
    last_name         TEXT   NOT NULL,
    plan              TEXT   NOT NULL,
    -- Counts every scan that returned an answer, so clearing the history gives no allowance back.
    scans_used        BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    terms_accepted_at BIGINT,
    CONSTRAINT app_user_pk PRIMARY KEY (user_id),
    CONSTRAINT app_user_email_unique UNIQUE (email),
    CONSTRAINT app_user_plan_known CHECK (plan IN ('basic', 'pro', 'business'))
);

-- The cookie holds a random secret; only its SHA-256 is kept, so a stolen database signs nobody in.
CREATE TABLE session (
    session_id   TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    token_sha256 TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    CONSTRAINT session_pk PRIMARY KEY (session_id),
    CONSTRAINT session_token_unique UNIQUE (token_sha256),
    CONSTRAINT session_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);

CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);
