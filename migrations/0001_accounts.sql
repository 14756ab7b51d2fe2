-- Tenants, people and how they sign in, their API keys and their usage.
-- Why: every other row belongs to somebody, so these come first.
--
-- In all migrations, times are milliseconds since 1970 in UTC (BIGINT), ids are UUID v7 as text, and truth values are
-- BIGINT 0 or 1: three choices that SQLite and PostgreSQL store and compare alike. SQLite has no type BYTEA; a column of
-- it takes bytes as they are.

-- A tenant owns vehicles, scans and whatever else people keep. Everybody with an account has one of their own, of the same
-- id; the members of a company share its tenant, so the owner of a row is not always the person who wrote it.
CREATE TABLE tenant (
    tenant_id  TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT tenant_pk PRIMARY KEY (tenant_id)
);

CREATE TABLE app_user (
    user_id           TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    email             TEXT   NOT NULL,
    -- None for an account that signs in through another service only.
    password_hash     TEXT,
    first_name        TEXT   NOT NULL,
    last_name         TEXT   NOT NULL,
    plan              TEXT   NOT NULL,
    -- Counts every scan that returned an answer, so clearing the history gives no allowance back.
    scans_used        BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    -- When a link sent to the address was followed, or a sign-in provider vouched for it.
    email_verified_at BIGINT,
    terms_accepted_at BIGINT,
    -- Which text was accepted at terms_accepted_at; a newer text is asked for anew.
    terms_version     TEXT,
    -- While the account is being deleted: nobody joins, founds or takes over a company of it until then. A server that
    -- dies on the way leaves a time that passes by itself.
    closing_until     BIGINT,
    CONSTRAINT app_user_key PRIMARY KEY (user_id),
    CONSTRAINT app_user_email_taken UNIQUE (email),
    CONSTRAINT app_user_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT app_user_known_plan CHECK (plan IN ('basic', 'pro', 'business'))
);

CREATE INDEX app_user_by_tenant ON app_user (tenant_id);

-- The cookie holds a random secret; only its SHA-256 is kept, so a stolen database signs nobody in.
CREATE TABLE session (
    session_id     TEXT   NOT NULL,
    user_id        TEXT   NOT NULL,
    token_sha256   TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    last_seen_at   BIGINT NOT NULL DEFAULT 0,
    expires_at     BIGINT NOT NULL,
    -- Such as "Firefox on Windows": enough to tell one's own browsers apart.
    browser        TEXT   NOT NULL DEFAULT '',
    sign_in_method TEXT   NOT NULL DEFAULT 'password',
    CONSTRAINT session_key PRIMARY KEY (session_id),
    CONSTRAINT session_token_taken UNIQUE (token_sha256),
    CONSTRAINT session_of_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT session_known_method CHECK (sign_in_method IN ('password', 'provider'))
);

CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_until ON session (expires_at);

-- Accounts elsewhere that sign in here. The subject is permanent at its issuer; an e-mail address is not.
CREATE TABLE identity (
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT identity_pk PRIMARY KEY (issuer, subject),
    CONSTRAINT identity_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);

CREATE INDEX identity_by_user ON identity (user_id);

-- Secrets in links that were mailed. As with cookies, only their SHA-256 is kept; each opens once.
CREATE TABLE mailed_link (
    token_sha256 TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    purpose      TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL,
    CONSTRAINT mailed_link_pk PRIMARY KEY (token_sha256),
    CONSTRAINT mailed_link_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT mailed_link_known_purpose CHECK (purpose IN ('verify-email', 'reset-password'))
);

CREATE INDEX mailed_link_by_user ON mailed_link (user_id);
CREATE INDEX mailed_link_by_expiry ON mailed_link (expires_at);

-- Browsers that are at a sign-in provider just now. The row stays here and not in the browser, so that an attempt counts
-- once and any replica can finish it.
CREATE TABLE sign_in_attempt (
    token_sha256  TEXT   NOT NULL,
    state         TEXT   NOT NULL,
    nonce         TEXT   NOT NULL,
    pkce_verifier TEXT   NOT NULL,
    return_path   TEXT   NOT NULL,
    expires_at    BIGINT NOT NULL,
    CONSTRAINT sign_in_attempt_pk PRIMARY KEY (token_sha256)
);

CREATE INDEX sign_in_attempt_by_expiry ON sign_in_attempt (expires_at);

-- Keys for programs: a program has no browser to sign in with, and must be able to do less than its owner. Only the
-- SHA-256 of a key is kept.
CREATE TABLE api_key (
    key_id       TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    -- The beginning of the key, by which its owner recognises it; too short to guess the rest.
    prefix       TEXT   NOT NULL,
    token_sha256 TEXT   NOT NULL,
    -- Names of scopes with a space between them.
    scopes       TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    -- To within a minute, so that reading is not writing.
    last_used_at BIGINT,
    -- The row stays, so that its usage keeps its name.
    revoked_at   BIGINT,
    CONSTRAINT api_key_pk PRIMARY KEY (key_id),
    CONSTRAINT api_key_token_unique UNIQUE (token_sha256),
    CONSTRAINT api_key_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);

CREATE INDEX api_key_by_user ON api_key (user_id, created_at);

-- How many scans were requested, by day, key and path to the answer, and what they cost. Whoever pays must see where they
-- come from, also after the history was cleared.
CREATE TABLE scan_usage (
    user_id     TEXT   NOT NULL,
    -- The day in UTC, as YYYY-MM-DD.
    day         TEXT   NOT NULL,
    -- The id of an API key, or 'web'. No reference: the count outlives the key.
    source      TEXT   NOT NULL,
    path        TEXT   NOT NULL,
    n_scans     BIGINT NOT NULL,
    -- Millionths of a US dollar.
    cost_micros BIGINT NOT NULL,
    CONSTRAINT scan_usage_pk PRIMARY KEY (user_id, day, source, path),
    CONSTRAINT scan_usage_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT scan_usage_known_path CHECK (path IN ('local', 'reused', 'llm', 'not-a-part', 'error'))
);
