-- What a shop wants to spend on the judge at most.
-- Why: the server's settings say what any shop may spend; one that pays for its own use may want to spend less. No row,
-- and no value in it, is no choice: the server's most holds. It holds also where it has been lowered below the choice.
-- Money is in millionths of a dollar.

CREATE TABLE judge_budget_choice (
    tenant_id           TEXT   NOT NULL,
    day_micro_dollars   BIGINT,
    month_micro_dollars BIGINT,
    changed_at          BIGINT NOT NULL,
    CONSTRAINT judge_budget_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT judge_budget_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT judge_budget_choice_not_negative CHECK (day_micro_dollars >= 0 AND month_micro_dollars >= 0)
);
