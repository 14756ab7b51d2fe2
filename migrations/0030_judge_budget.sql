-- What the vision-LLM judge may cost and has cost.
-- Why: a budget must hold for any number of scans at once and any number of servers on one database. So the most
-- that a call can cost is added to the sums of its day and month before it is made, in one transaction that also
-- compares them with the limits, and the difference to what it did cost is taken off afterwards. A call whose
-- server died, or whose caller went away, stays counted at the most it can have cost.
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
    CONSTRAINT judge_call_truth CHECK (is_settled IN (0, 1))
);

-- Serves the bill of a tenant.
CREATE INDEX judge_call_by_tenant ON judge_call (tenant_id, created_at);
