-- What suppliers elsewhere answered, for a while.
-- Why: the same part is looked at several times in an hour, each question takes seconds, and suppliers count them.
-- An answer that has expired still serves, with its time, where its source does not answer.

CREATE TABLE supplier_answer (
    tenant_id       TEXT   NOT NULL,
    source          TEXT   NOT NULL,
    -- Of part, number and vehicle.
    question_sha256 TEXT   NOT NULL,
    -- JSON: the offers.
    offers          TEXT   NOT NULL,
    answered_at     BIGINT NOT NULL,
    CONSTRAINT supplier_answer_pk PRIMARY KEY (tenant_id, source, question_sha256),
    CONSTRAINT supplier_answer_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE
);

-- Serves the deletion of what is too old.
CREATE INDEX supplier_answer_by_time ON supplier_answer (answered_at);
