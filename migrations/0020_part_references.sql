-- What people teach: part types of their own, and photographs that show what a part looks like.
-- Why: the vector index is derived. Its embeddings live here, beside what they describe, so that any index can be
-- built anew, and so that the database is all there is to copy.
--
-- A row without a tenant is shared by all tenants of this server. SQLite has no type BYTEA; there such a column
-- takes bytes as they come.

-- Each change of a reference takes the next number, so that an index knows what it has not seen. The row is locked
-- until the change is saved, so numbers become visible in their order.
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

-- A small picture of the pixels alone, and the photograph as it was sent, as the settings have them kept.
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
