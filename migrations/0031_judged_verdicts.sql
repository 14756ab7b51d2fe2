-- What the judge said of a photograph, findable by what the photograph looks like.
-- Why: the same part is photographed twice more often than not, and nobody should pay twice for one answer.
-- The embedding is of the model named beside it and can be compared with no other's: little-endian f32, of
-- length 1. SQLite has no type BYTEA; there the column takes bytes as they come.

CREATE TABLE judged_verdict (
    judged_verdict_id TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    model_sha256      TEXT   NOT NULL,
    embedding         BYTEA  NOT NULL,
    -- JSON: label, stated confidence, evidence, part numbers.
    judgement         TEXT   NOT NULL,
    judge_model       TEXT   NOT NULL,
    input_tokens      BIGINT NOT NULL,
    output_tokens     BIGINT NOT NULL,
    micro_dollars     BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    CONSTRAINT judged_verdict_pk PRIMARY KEY (judged_verdict_id),
    CONSTRAINT judged_verdict_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE
);

-- Serves the search among the newest of a tenant.
CREATE INDEX judged_verdict_by_tenant ON judged_verdict (tenant_id, model_sha256, created_at);
-- Serves the deletion of what has expired.
CREATE INDEX judged_verdict_by_expiry ON judged_verdict (expires_at);
