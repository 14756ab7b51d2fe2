-- Pairs of part types that people marked as look-alikes: between them a picture alone decides nothing.
-- A type is named by its label: it may be taught, or one that the catalogue ships, which has no row. A mark without a tenant
-- is shared by all tenants of this server.
CREATE TABLE look_alike (
    look_alike_id TEXT   NOT NULL,
    tenant_id     TEXT,
    -- The lesser of the two labels, byte by byte: a collation of the database may order them in another way, so no
    -- constraint says it.
    first_label   TEXT   NOT NULL,
    second_label  TEXT   NOT NULL,
    created_by    TEXT,
    created_at    BIGINT NOT NULL,
    CONSTRAINT look_alike_pk PRIMARY KEY (look_alike_id),
    CONSTRAINT look_alike_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT look_alike_user_fk FOREIGN KEY (created_by) REFERENCES app_user (user_id) ON DELETE SET NULL,
    CONSTRAINT look_alike_of_two CHECK (first_label <> second_label)
);

-- Each pair once for one owner; NULL would be unlike NULL.
CREATE UNIQUE INDEX look_alike_marked_once ON look_alike (COALESCE(tenant_id, ''), first_label, second_label);
CREATE INDEX look_alike_by_tenant ON look_alike (tenant_id);
