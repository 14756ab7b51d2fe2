-- Keys for programs.
-- Why: a program has no browser to sign in with, and must be able to do less than its owner.
-- Only the SHA-256 of a key is kept, so a stolen database opens nothing.

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
