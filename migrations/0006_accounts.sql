-- Proved addresses, links by mail, sign-in with an account elsewhere, and what people see of their sessions.
-- Why: an account needs a way back in when its password is forgotten, and a way in without one.

-- When a link sent to the address was followed, or a sign-in provider vouched for it.
ALTER TABLE app_user ADD COLUMN email_verified_at BIGINT;
-- Which text was accepted at terms_accepted_at; a newer text is asked for anew.
ALTER TABLE app_user ADD COLUMN terms_version TEXT;

UPDATE app_user SET terms_version = '2025-07-18' WHERE terms_accepted_at IS NOT NULL;

ALTER TABLE session ADD COLUMN last_seen_at BIGINT NOT NULL DEFAULT 0;
-- Such as "Firefox on Windows": enough to tell one's own browsers apart.
ALTER TABLE session ADD COLUMN browser TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN sign_in_method TEXT NOT NULL DEFAULT 'password'
    CONSTRAINT session_known_method CHECK (sign_in_method IN ('password', 'provider'));

UPDATE session SET last_seen_at = created_at;

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

-- Secrets in links that were mailed. Like those in cookies, only their SHA-256 is kept; each opens once.
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

-- Browsers that are at a sign-in provider just now. The row stays here and not in the browser, so that an
-- attempt counts once and any replica can finish it.
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
