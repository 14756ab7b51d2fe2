-- How many wrong answers a shop accepts.
-- Why: a model's own threshold is a compromise; a shop that orders parts unseen wants fewer wrong answers, one that
-- pays for a judge fewer questions. No row is no choice: the model's own threshold holds.

CREATE TABLE dial_choice (
    tenant_id            TEXT   NOT NULL,
    -- In hundredths of a percent of the answers.
    max_wrong_hundredths BIGINT NOT NULL,
    changed_at           BIGINT NOT NULL,
    CONSTRAINT dial_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT dial_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT dial_choice_share CHECK (max_wrong_hundredths BETWEEN 1 AND 9999)
);
