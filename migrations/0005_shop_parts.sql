-- The parts of a shop: numbers of brands, what they fit, and what they cost.
-- Why: a part type says what a thing is; a shop buys, sells and fits a number. A part belongs to the tenant of the shop,
-- which for the members of a company is the company's.

CREATE TABLE shop_part (
    shop_part_id TEXT   NOT NULL,
    tenant_id    TEXT   NOT NULL,
    -- The part type: shipped, or taught.
    label        TEXT   NOT NULL,
    name         TEXT,
    part_number  TEXT   NOT NULL,
    brand        TEXT,
    -- The number without separators, and the brand: what two rows of one part have in common.
    part_key     TEXT   NOT NULL,
    -- Hundredths of the currency: both columns or neither.
    price_cents  BIGINT,
    currency     TEXT,
    notes        TEXT,
    -- JSON: the vehicles that it fits, or does not.
    fitments     TEXT   NOT NULL,
    created_by   TEXT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    -- Grows with each change.
    revision     BIGINT NOT NULL,
    -- Set while it can still be brought back.
    deleted_at   BIGINT,
    CONSTRAINT shop_part_pk PRIMARY KEY (shop_part_id),
    CONSTRAINT shop_part_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT shop_part_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT shop_part_whole_price CHECK ((price_cents IS NULL) = (currency IS NULL))
);

-- No two of one number and brand, but for deleted ones.
CREATE UNIQUE INDEX shop_part_taken ON shop_part (tenant_id, part_key) WHERE deleted_at IS NULL;
-- Serves the pages of a shop's parts, newest first, and those of one type.
CREATE INDEX shop_part_by_tenant ON shop_part (tenant_id, shop_part_id);
CREATE INDEX shop_part_by_label ON shop_part (tenant_id, label);
CREATE INDEX shop_part_by_deletion ON shop_part (deleted_at);
-- Serves the deletion of a user.
CREATE INDEX shop_part_by_user ON shop_part (created_by);
