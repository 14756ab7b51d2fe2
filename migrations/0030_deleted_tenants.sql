-- Whether a tenant is deleted while rows of it are still being erased.
-- Why: hundreds of thousands of scans, erased in one transaction, kept everybody's writes waiting. The account is now gone
-- at once, and its rows are erased in short transactions; whatever interrupts them, this is how the rest is found.

ALTER TABLE tenant ADD COLUMN is_deleted BIGINT NOT NULL DEFAULT 0
    CONSTRAINT tenant_deleted_flag CHECK (is_deleted IN (0, 1));
