-- Whether a tenant allows that photographs are sent to the judge.
-- Why: the settings of a server say whether there is a judge at all; whose photographs leave the building is for
-- those to say whose they are. No row is no answer.

CREATE TABLE judge_consent (
    tenant_id  TEXT   NOT NULL,
    is_allowed BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    CONSTRAINT judge_consent_pk PRIMARY KEY (tenant_id),
    CONSTRAINT judge_consent_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT judge_consent_truth CHECK (is_allowed IN (0, 1))
);
