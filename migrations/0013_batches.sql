-- Batches: many photographs as one job.
-- Why: a shop photographs a pallet of parts and wants the answers, not a form a part. The jobs are rows, so that several
-- servers share them and a restart loses none: a worker claims an item until a moment, and the scan is saved in the
-- transaction that ends its claim.

CREATE TABLE batch (
    batch_id   TEXT   NOT NULL,
    tenant_id  TEXT   NOT NULL,
    -- Whose scans they are: they count for this user.
    user_id    TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    -- The vehicle of all its parts, where one was named.
    vehicle_id TEXT,
    -- A browser, or the id of the API key.
    source     TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    -- Why it stopped, as people read it.
    reason     TEXT,
    created_at BIGINT NOT NULL,
    -- When an item of it was claimed last: the batches of all take turns.
    served_at  BIGINT NOT NULL,
    CONSTRAINT batch_pk PRIMARY KEY (batch_id),
    CONSTRAINT batch_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT batch_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT batch_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id) ON DELETE SET NULL,
    CONSTRAINT batch_known_state CHECK (state IN ('open', 'running', 'done', 'stopped', 'cancelled'))
);

CREATE INDEX batch_by_tenant ON batch (tenant_id, created_at);
CREATE INDEX batch_by_user ON batch (user_id);
CREATE INDEX batch_by_vehicle ON batch (vehicle_id);
CREATE INDEX batch_in_turn ON batch (state, served_at);

CREATE TABLE batch_item (
    batch_item_id TEXT   NOT NULL,
    batch_id      TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    -- What its client names it: sent twice, it is one item.
    client_key    TEXT   NOT NULL,
    -- The name of the file.
    name          TEXT   NOT NULL,
    -- Of the bytes, lower-case hex; the same photograph twice is scanned once.
    sha256        TEXT   NOT NULL,
    -- The item with the same bytes, which goes with the same batch.
    duplicate_of  TEXT,
    state         TEXT   NOT NULL,
    attempts      BIGINT NOT NULL DEFAULT 0,
    -- Who works on it, and until when it is theirs.
    lease_worker  TEXT,
    lease_until   BIGINT,
    -- Why it has no answer, as people read it.
    problem       TEXT,
    scan_id       TEXT,
    -- The most doubtful has the most: what the grid is sorted by.
    doubt         BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT batch_item_pk PRIMARY KEY (batch_item_id),
    CONSTRAINT batch_item_batch_fk FOREIGN KEY (batch_id) REFERENCES batch (batch_id) ON DELETE CASCADE,
    CONSTRAINT batch_item_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT batch_item_scan_fk FOREIGN KEY (scan_id) REFERENCES scan (scan_id) ON DELETE SET NULL,
    CONSTRAINT batch_item_known_state CHECK (state IN
        ('waiting', 'running', 'answered', 'not-a-part', 'failed', 'duplicate', 'cancelled')),
    CONSTRAINT batch_item_leased_while_running CHECK ((state = 'running') = (lease_worker IS NOT NULL)),
    CONSTRAINT batch_item_lease_ends CHECK ((lease_worker IS NULL) = (lease_until IS NULL))
);

CREATE UNIQUE INDEX batch_item_sent_once ON batch_item (batch_id, client_key);
CREATE INDEX batch_item_by_bytes ON batch_item (batch_id, sha256);
CREATE INDEX batch_item_by_state ON batch_item (batch_id, state, batch_item_id);
CREATE INDEX batch_item_by_doubt ON batch_item (batch_id, doubt, batch_item_id);
CREATE INDEX batch_item_by_tenant ON batch_item (tenant_id);
CREATE INDEX batch_item_by_scan ON batch_item (scan_id);
CREATE INDEX batch_item_by_worker ON batch_item (lease_worker);

-- The photographs that are still to be answered. One goes with its answer: what is kept of it then lies with its scan.
CREATE TABLE batch_photo (
    batch_item_id TEXT  NOT NULL,
    tenant_id     TEXT  NOT NULL,
    bytes         BYTEA NOT NULL,
    CONSTRAINT batch_photo_pk PRIMARY KEY (batch_item_id),
    CONSTRAINT batch_photo_item_fk FOREIGN KEY (batch_item_id) REFERENCES batch_item (batch_item_id) ON DELETE CASCADE,
    CONSTRAINT batch_photo_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE INDEX batch_photo_by_tenant ON batch_photo (tenant_id);
