-- What the vision-LLM judge may cost, has cost, and has said.
-- Why: a budget must hold for any number of scans at once and any number of servers on one database. So the most that a
-- call can cost is added to the sums of its day and month before it is made, in one transaction that also compares them
-- with the limits, and the difference to what it did cost is subtracted afterwards. A call whose server died, or whose
-- client went away, stays counted at the most it can have cost.
-- Money is in millionths of a dollar; a period is a day (`2027-01-15`) or a month (`2027-01`) in UTC.

CREATE TABLE judge_spending (
    period        TEXT   NOT NULL,
    micro_dollars BIGINT NOT NULL,
    CONSTRAINT judge_spending_pk PRIMARY KEY (period),
    CONSTRAINT judge_spending_not_negative CHECK (micro_dollars >= 0)
);

CREATE TABLE tenant_judge_spending (
    tenant_id     TEXT   NOT NULL,
    period        TEXT   NOT NULL,
    micro_dollars BIGINT NOT NULL,
    CONSTRAINT tenant_judge_spending_pk PRIMARY KEY (tenant_id, period),
    CONSTRAINT tenant_judge_spending_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT tenant_judge_spending_not_negative CHECK (micro_dollars >= 0)
);

-- One row a call, so that each is settled once.
CREATE TABLE judge_call (
    judge_call_id TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    -- A judgement, or what was filled in. The scan names whose judgement it was, so only fills name a user.
    purpose       TEXT   NOT NULL DEFAULT 'judgement',
    user_id       TEXT,
    -- The periods that it was counted in, however late it is settled.
    spent_day     TEXT   NOT NULL,
    spent_month   TEXT   NOT NULL,
    -- The most it can cost until it is settled, what it did cost from then on.
    micro_dollars BIGINT NOT NULL,
    is_settled    BIGINT NOT NULL,
    input_tokens  BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    CONSTRAINT judge_call_pk PRIMARY KEY (judge_call_id),
    CONSTRAINT judge_call_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT judge_call_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT judge_call_truth CHECK (is_settled IN (0, 1))
);

-- Serves the bill of a tenant.
CREATE INDEX judge_call_by_tenant ON judge_call (tenant_id, created_at);
-- Serves the deletion of calls that nobody asks for any more; what was spent stands in the sums of its periods.
CREATE INDEX judge_call_by_age ON judge_call (created_at);
-- Serves the usage of a user.
CREATE INDEX judge_call_by_user ON judge_call (user_id, spent_day);

-- What a shop wants to spend at most, within what the settings allow any shop. No row, and no value in it, is no choice:
-- the limit of the server holds, also where it is lowered below the choice later.
CREATE TABLE judge_budget_choice (
    tenant_id           TEXT   NOT NULL,
    day_micro_dollars   BIGINT,
    month_micro_dollars BIGINT,
    changed_at          BIGINT NOT NULL,
    CONSTRAINT judge_budget_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT judge_budget_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT judge_budget_choice_not_negative CHECK (day_micro_dollars >= 0 AND month_micro_dollars >= 0)
);

-- Whether a tenant allows that photographs are sent to the judge. No row is no answer.
CREATE TABLE judge_consent (
    tenant_id  TEXT   NOT NULL,
    is_allowed BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    CONSTRAINT judge_consent_pk PRIMARY KEY (tenant_id),
    CONSTRAINT judge_consent_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT judge_consent_truth CHECK (is_allowed IN (0, 1))
);

-- What the judge said of a photograph, found again by what the photograph looks like: the same part is often photographed
-- twice, and nobody should pay twice for one answer. The embedding is comparable only with those of the model named beside
-- it: little-endian 32-bit floats, of length 1.
CREATE TABLE judged_verdict (
    judged_verdict_id TEXT   NOT NULL,
    tenant_id         TEXT   NOT NULL,
    -- No reference: the judgement is kept before its scan is saved.
    scan_id           TEXT,
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
CREATE INDEX judged_verdict_by_scan ON judged_verdict (tenant_id, scan_id);

-- What a language model said of things that the catalogue lacks: guides, oil specifications and fitment notes. What
-- concerns vehicles of the market is shared by all tenants; what concerns a part that a tenant taught is that tenant's
-- alone. A row without content remembers that nothing usable came, so that it is not paid for again at once.
-- The subject is made of every word of the question, so a text that tries to talk the model into something can only spoil
-- the answer about that very text.
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

-- Which shared rows a tenant threw away: they are gone for that tenant, and stay for the others.
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
