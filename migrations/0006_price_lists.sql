-- Price lists of shops with their rows, and what suppliers answered.
-- Why: a price is shown only with where it comes from and since when. A list of half a million rows takes a while to
-- arrive, and nobody's other work may wait for it: so its rows are saved in many short transactions under a list that is
-- not published, which nobody sees, and one last transaction publishes it and deletes the one that it replaces.

CREATE TABLE price_list (
    price_list_id TEXT   NOT NULL,
    -- The company's, or that of a user who is in none.
    tenant_id     TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    -- The name by which a list replaces another.
    name_key      TEXT   NOT NULL,
    supplier      TEXT   NOT NULL,
    -- ISO 4217; of the rows that name none.
    currency      TEXT   NOT NULL,
    website       TEXT,
    url_template  TEXT,
    phone         TEXT,
    shipping_info TEXT,
    n_items       BIGINT NOT NULL,
    created_by    TEXT,
    created_at    BIGINT NOT NULL,
    -- Not set while its rows arrive; one whose upload ended early is deleted later.
    published_at  BIGINT,
    -- Set while it can still be restored.
    deleted_at    BIGINT,
    CONSTRAINT price_list_pk PRIMARY KEY (price_list_id),
    CONSTRAINT price_list_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT price_list_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT price_list_n_items_not_negative CHECK (n_items >= 0)
);

CREATE UNIQUE INDEX price_list_name_taken ON price_list (tenant_id, name_key)
    WHERE published_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX price_list_by_deletion ON price_list (deleted_at);

CREATE TABLE price_list_item (
    price_list_id   TEXT   NOT NULL,
    -- As a spreadsheet counts.
    row_number      BIGINT NOT NULL,
    -- Label or name of the part type, and part number, each as they are compared; empty where there is none.
    type_key        TEXT   NOT NULL,
    number_key      TEXT   NOT NULL,
    name            TEXT,
    part_number     TEXT,
    brand           TEXT,
    -- In ten-thousandths of a unit of the currency.
    ten_thousandths BIGINT NOT NULL,
    currency        TEXT   NOT NULL,
    in_stock        BIGINT,
    shipping_info   TEXT,
    url             TEXT,
    notes           TEXT,
    -- The vehicles that it fits: make and model in lower case, empty for any, and model years.
    make_key        TEXT   NOT NULL,
    model_key       TEXT   NOT NULL,
    first_year      BIGINT NOT NULL,
    last_year       BIGINT NOT NULL,
    CONSTRAINT price_list_item_pk PRIMARY KEY (price_list_id, row_number),
    CONSTRAINT price_list_item_list_fk FOREIGN KEY (price_list_id) REFERENCES price_list (price_list_id)
        ON DELETE CASCADE,
    CONSTRAINT price_list_item_price_positive CHECK (ten_thousandths > 0),
    CONSTRAINT price_list_item_truth CHECK (in_stock IN (0, 1))
);

CREATE INDEX price_list_item_by_type ON price_list_item (price_list_id, type_key);
CREATE INDEX price_list_item_by_number ON price_list_item (price_list_id, number_key);

-- What suppliers elsewhere answered, for a while: the same part is looked at several times in an hour, each question
-- takes seconds, and suppliers count them. An answer that has expired still serves, with its time, where its source does
-- not answer.
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
