-- What a language model said of things that the catalogue lacks: guides, oil specifications and fitment notes.
-- Why: one subject is paid for once. What concerns vehicles of the market is shared by all tenants of the server; what
-- concerns a part that a tenant taught is that tenant's alone. A row without content remembers that nothing usable
-- came, so that it is not paid for again at once.
-- The subject holds every word that the question held, so a text that tries to talk the model into something can only
-- spoil the answer about that very text.

CREATE TABLE llm_fill (
    llm_fill_id    TEXT   NOT NULL,
    -- NULL for all tenants.
    tenant_id      TEXT,
    kind           TEXT   NOT NULL,
    -- Of the words of the question.
    subject_sha256 TEXT   NOT NULL,
    -- JSON, as it was checked; NULL where the model does not know or said nothing usable.
    content        TEXT,
    llm_model      TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    CONSTRAINT llm_fill_pk PRIMARY KEY (llm_fill_id),
    CONSTRAINT llm_fill_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT llm_fill_known_kind CHECK (kind IN ('guide', 'oil', 'fitment'))
);

-- Serves the question whether something is known.
CREATE INDEX llm_fill_by_subject ON llm_fill (subject_sha256, created_at);
-- Serves the deletion of a tenant.
CREATE INDEX llm_fill_by_tenant ON llm_fill (tenant_id);
-- Serves the deletion of what has expired.
CREATE INDEX llm_fill_by_expiry ON llm_fill (expires_at);

-- Which shared rows a tenant threw away: they are gone for that tenant, and stay for the others, who have not judged
-- them.
CREATE TABLE llm_fill_rejection (
    tenant_id   TEXT   NOT NULL,
    llm_fill_id TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    CONSTRAINT llm_fill_rejection_pk PRIMARY KEY (tenant_id, llm_fill_id),
    CONSTRAINT llm_fill_rejection_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT llm_fill_rejection_fill_fk FOREIGN KEY (llm_fill_id) REFERENCES llm_fill (llm_fill_id)
        ON DELETE CASCADE
);

-- Serves the deletion of what was rejected.
CREATE INDEX llm_fill_rejection_by_fill ON llm_fill_rejection (llm_fill_id);
