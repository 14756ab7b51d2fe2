-- The text that was read on the photographs of a scan, and how a number on a part finds the part.
-- Why: a part often bears its number, which says more than its type. What was read is kept with its scan, and goes with it.

CREATE TABLE scan_reading (
    scan_id   TEXT   NOT NULL,
    tenant_id TEXT   NOT NULL,
    -- JSON: the lines of text, with what people corrected.
    lines     TEXT   NOT NULL,
    -- JSON: the parts that a number among them may mean.
    parts     TEXT   NOT NULL,
    -- JSON: the answer of the picture, where the parts made it another one.
    picture   TEXT,
    read_at   BIGINT NOT NULL,
    CONSTRAINT scan_reading_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_reading_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE CASCADE,
    CONSTRAINT scan_reading_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX scan_reading_by_tenant ON scan_reading (tenant_id);

-- Part numbers with one character for all that are easily read for each other, as `folded_number` of the program writes them:
-- so one query finds what a number may mean. They are expressions and not columns, so that a release before this one
-- keeps them right as well. The key of a part is its number without separators, a bar, and its brand.
CREATE INDEX shop_part_by_folded_number ON shop_part (tenant_id,
    REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
        SUBSTR(part_key, 1, LENGTH(part_key) - LENGTH(COALESCE(brand, '')) - 1),
        'o', '0'), 'i', '1'), 'l', '1'), 's', '5'), 'b', '8'), 'z', '2'), 'g', '6'));
CREATE INDEX price_list_item_by_folded_number ON price_list_item (price_list_id,
    REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
        LOWER(number_key),
        'o', '0'), 'i', '1'), 'l', '1'), 's', '5'), 'b', '8'), 'z', '2'), 'g', '6'));
