-- What people teach: part types of their own, photographs that show what a part looks like, and what a shop lets the server
-- learn.
-- Why: the vector index is derived. Its embeddings live here, beside what they describe, so that any index can be rebuilt,
-- and so that the database is all there is to copy.
-- A reference or a part type without a tenant is shared by all tenants of this server.

-- Each change of a reference takes the next number, so that an index knows what it has not seen. The row is locked until
-- the change is saved, so numbers become visible in their order.
CREATE TABLE part_reference_revision (
    only_row BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    CONSTRAINT part_reference_revision_pk PRIMARY KEY (only_row),
    CONSTRAINT part_reference_revision_is_one CHECK (only_row = 1)
);

INSERT INTO part_reference_revision (only_row, revision) VALUES (1, 0);

CREATE TABLE taught_part_type (
    taught_part_type_id TEXT   NOT NULL,
    tenant_id           TEXT,
    label               TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    category            TEXT   NOT NULL,
    created_by          TEXT,
    created_at          BIGINT NOT NULL,
    CONSTRAINT taught_part_type_pk PRIMARY KEY (taught_part_type_id),
    CONSTRAINT taught_part_type_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT taught_part_type_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id)
        ON DELETE SET NULL
);

-- No two of one label for one owner; NULL would be unlike NULL.
CREATE UNIQUE INDEX taught_part_type_label_taken ON taught_part_type (COALESCE(tenant_id, ''), label);

CREATE TABLE part_reference (
    part_reference_id TEXT   NOT NULL,
    tenant_id         TEXT,
    -- Of a taught part type, or of one that the catalogue ships.
    label             TEXT   NOT NULL,
    category          TEXT,
    kind              TEXT   NOT NULL,
    -- The embedding is comparable only with others of this model.
    model_sha256      TEXT   NOT NULL,
    -- Little-endian 32-bit floats, of length 1 together.
    embedding         BYTEA  NOT NULL,
    -- What the photograph looks like, by which copies are found.
    fingerprint       BYTEA  NOT NULL,
    created_by        TEXT,
    created_at        BIGINT NOT NULL,
    -- Set while it can still be brought back.
    deleted_at        BIGINT,
    revision          BIGINT NOT NULL,
    CONSTRAINT part_reference_pk PRIMARY KEY (part_reference_id),
    CONSTRAINT part_reference_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id)
        ON DELETE CASCADE,
    CONSTRAINT part_reference_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id)
        ON DELETE SET NULL,
    CONSTRAINT part_reference_known_kind CHECK (kind IN ('enrolled', 'confirmed-scan'))
);

CREATE INDEX part_reference_by_type ON part_reference (tenant_id, label);
CREATE INDEX part_reference_by_revision ON part_reference (model_sha256, revision);
CREATE INDEX part_reference_by_deletion ON part_reference (deleted_at);

-- A small picture of the pixels alone, and the photograph as it was sent, as the settings say.
CREATE TABLE part_reference_photo (
    part_reference_id TEXT  NOT NULL,
    size              TEXT  NOT NULL,
    media_type        TEXT  NOT NULL,
    bytes             BYTEA NOT NULL,
    CONSTRAINT part_reference_photo_pk PRIMARY KEY (part_reference_id, size),
    CONSTRAINT part_reference_photo_of_fk FOREIGN KEY (part_reference_id)
        REFERENCES part_reference (part_reference_id) ON DELETE CASCADE,
    CONSTRAINT part_reference_photo_known_size CHECK (size IN ('thumbnail', 'full'))
);

-- References that went with their tenant. A row that is gone tells no index so: each one, in the memory of a server or on
-- a server of its own, reads here what it has to forget. The ids are random and say nothing of anybody.
CREATE TABLE forgotten_reference (
    part_reference_id TEXT   NOT NULL,
    -- Of the deletion, among the numbers of part_reference_revision.
    revision          BIGINT NOT NULL,
    CONSTRAINT forgotten_reference_pk PRIMARY KEY (part_reference_id)
);

CREATE INDEX forgotten_reference_by_revision ON forgotten_reference (revision);

-- Photographs of a shop's part, among those that were taught.
CREATE TABLE shop_part_photo (
    shop_part_id      TEXT NOT NULL,
    part_reference_id TEXT NOT NULL,
    CONSTRAINT shop_part_photo_pk PRIMARY KEY (shop_part_id, part_reference_id),
    CONSTRAINT shop_part_photo_part_fk FOREIGN KEY (shop_part_id) REFERENCES shop_part (shop_part_id)
        ON DELETE CASCADE,
    CONSTRAINT shop_part_photo_reference_fk FOREIGN KEY (part_reference_id)
        REFERENCES part_reference (part_reference_id) ON DELETE CASCADE
);

CREATE INDEX shop_part_photo_by_reference ON shop_part_photo (part_reference_id);

-- What a tenant lets the server learn. No row is no choice.
CREATE TABLE learning_choice (
    tenant_id             TEXT   NOT NULL,
    confirmed_scans_teach BIGINT NOT NULL,
    refit_calibration     BIGINT NOT NULL,
    changed_at            BIGINT NOT NULL,
    CONSTRAINT learning_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT learning_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT learning_choice_truth CHECK (confirmed_scans_teach IN (0, 1) AND refit_calibration IN (0, 1))
);

-- A tenant's own calibration of the model in use, and the last attempt to improve it.
CREATE TABLE tenant_calibration (
    tenant_id    TEXT   NOT NULL,
    model_sha256 TEXT   NOT NULL,
    -- None while the model's own holds.
    temperature  DOUBLE PRECISION,
    outcome      TEXT   NOT NULL,
    n            BIGINT NOT NULL,
    -- JSON: the figures before and after.
    figures      TEXT   NOT NULL,
    attempted_at BIGINT NOT NULL,
    CONSTRAINT tenant_calibration_pk PRIMARY KEY (tenant_id),
    CONSTRAINT tenant_calibration_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT tenant_calibration_known_outcome CHECK (outcome IN ('changed', 'kept', 'too-few'))
);

-- How many wrong answers a shop accepts. A shop that orders parts unseen wants fewer of them, one that pays for a judge
-- fewer questions. No row is no choice: the model's own threshold holds.
CREATE TABLE dial_choice (
    tenant_id            TEXT   NOT NULL,
    -- In hundredths of a percent of the answers.
    max_wrong_hundredths BIGINT NOT NULL,
    changed_at           BIGINT NOT NULL,
    CONSTRAINT dial_choice_pk PRIMARY KEY (tenant_id),
    CONSTRAINT dial_choice_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT dial_choice_share CHECK (max_wrong_hundredths BETWEEN 1 AND 9999)
);
