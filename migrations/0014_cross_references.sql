-- Lists of a shop that say which part numbers mean one part, and which replace which.
-- Why: a part bears its maker's number, and the shop has it under another's. A list may have a million rows: they arrive in
-- many short transactions under a list that is not published, as those of a price list do.

CREATE TABLE cross_reference_list (
    cross_reference_list_id TEXT   NOT NULL,
    -- The company's, or that of a user who is in none.
    tenant_id               TEXT   NOT NULL,
    name                    TEXT   NOT NULL,
    -- The name by which a list replaces another.
    name_key                TEXT   NOT NULL,
    n_items                 BIGINT NOT NULL,
    created_by              TEXT,
    created_at              BIGINT NOT NULL,
    -- Not set while its rows arrive; one whose upload ended early is deleted later.
    published_at            BIGINT,
    -- Set while it can still be restored.
    deleted_at              BIGINT,
    CONSTRAINT cross_reference_list_pk PRIMARY KEY (cross_reference_list_id),
    CONSTRAINT cross_reference_list_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT cross_reference_list_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id)
        ON DELETE SET NULL,
    CONSTRAINT cross_reference_list_n_items_not_negative CHECK (n_items >= 0)
);

CREATE UNIQUE INDEX cross_reference_list_name_taken ON cross_reference_list (tenant_id, name_key)
    WHERE published_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX cross_reference_list_by_deletion ON cross_reference_list (deleted_at);

CREATE TABLE cross_reference (
    cross_reference_list_id TEXT   NOT NULL,
    -- As a spreadsheet counts.
    row_number              BIGINT NOT NULL,
    -- As the file writes it, and with one character for all that are easily read for each other.
    part_number             TEXT   NOT NULL,
    folded_number           TEXT   NOT NULL,
    brand                   TEXT,
    -- 'equals', or 'replaces': the first number is used in place of the other.
    relation                TEXT   NOT NULL,
    other_number            TEXT   NOT NULL,
    other_folded_number     TEXT   NOT NULL,
    other_brand             TEXT,
    CONSTRAINT cross_reference_pk PRIMARY KEY (cross_reference_list_id, row_number),
    CONSTRAINT cross_reference_list_fk FOREIGN KEY (cross_reference_list_id)
        REFERENCES cross_reference_list (cross_reference_list_id) ON DELETE CASCADE,
    CONSTRAINT cross_reference_relation_known CHECK (relation IN ('equals', 'replaces'))
);

CREATE INDEX cross_reference_by_number ON cross_reference (cross_reference_list_id, folded_number);
CREATE INDEX cross_reference_by_other_number ON cross_reference (cross_reference_list_id, other_folded_number);
