-- Companies, their members, and who is invited.
-- Why: one Business plan serves a whole team, and what the team shares must outlive any one of its members. A company
-- therefore has a tenant of its own, beside those of the people in it, whose garages stay theirs.

CREATE TABLE company (
    company_id  TEXT   NOT NULL,
    tenant_id   TEXT   NOT NULL,
    -- Whose plan holds for all members. No cascade: an account that owns a company with others in it stays.
    owner_id    TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    description TEXT,
    -- A data URL that we have drawn ourselves, never the file as it came.
    logo        TEXT,
    created_at  BIGINT NOT NULL,
    CONSTRAINT company_pk PRIMARY KEY (company_id),
    CONSTRAINT company_tenant_unique UNIQUE (tenant_id),
    CONSTRAINT company_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT company_owner_fk FOREIGN KEY (owner_id) REFERENCES app_user (user_id)
);

CREATE INDEX company_by_owner ON company (owner_id);

-- The owner is a member as well, with the role of a manager. A person is in one company at most.
CREATE TABLE company_member (
    member_id    TEXT   NOT NULL,
    company_id   TEXT   NOT NULL,
    user_id      TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    -- What the company calls the person; the account has a name of its own.
    display_name TEXT   NOT NULL,
    joined_at    BIGINT NOT NULL,
    CONSTRAINT company_member_pk PRIMARY KEY (member_id),
    CONSTRAINT company_member_user_unique UNIQUE (user_id),
    CONSTRAINT company_member_company_fk FOREIGN KEY (company_id) REFERENCES company (company_id)
        ON DELETE CASCADE,
    CONSTRAINT company_member_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT company_member_known_role CHECK (role IN ('member', 'manager'))
);

CREATE INDEX company_member_by_company ON company_member (company_id, joined_at);

-- An account joins by its own yes alone. As with other mailed links, only the SHA-256 of the secret is kept. Whoever
-- accepts becomes the member of the same id.
CREATE TABLE company_invitation (
    invitation_id TEXT   NOT NULL,
    company_id    TEXT   NOT NULL,
    email         TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    display_name  TEXT   NOT NULL,
    -- Who asks; where that account is gone, it is the owner.
    invited_by    TEXT,
    token_sha256  TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    CONSTRAINT company_invitation_pk PRIMARY KEY (invitation_id),
    CONSTRAINT company_invitation_email_unique UNIQUE (company_id, email),
    CONSTRAINT company_invitation_token_unique UNIQUE (token_sha256),
    CONSTRAINT company_invitation_company_fk FOREIGN KEY (company_id) REFERENCES company (company_id)
        ON DELETE CASCADE,
    CONSTRAINT company_invitation_invited_by_fk FOREIGN KEY (invited_by) REFERENCES app_user (user_id)
        ON DELETE SET NULL,
    CONSTRAINT company_invitation_known_role CHECK (role IN ('member', 'manager'))
);

-- Serves "who is this address invited by" when the address is proved.
CREATE INDEX company_invitation_by_email ON company_invitation (email);

-- A no holds for some weeks, so that nobody is asked until they give in. By address and not by account, because an
-- invitation can be declined without one.
CREATE TABLE company_refusal (
    company_id    TEXT   NOT NULL,
    email         TEXT   NOT NULL,
    refused_until BIGINT NOT NULL,
    CONSTRAINT company_refusal_pk PRIMARY KEY (company_id, email),
    CONSTRAINT company_refusal_company_fk FOREIGN KEY (company_id) REFERENCES company (company_id) ON DELETE CASCADE
);
