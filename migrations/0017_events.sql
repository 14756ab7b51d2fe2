-- What happened in an account, and the programs that are told of it.
-- Why: a shop's own systems want to hear of an answer when it is there instead of asking for it. An event is written in
-- the transaction of what it reports, and so are its deliveries: neither is lost where a server dies, and none tells of
-- something that was rolled back.

CREATE TABLE event_counter (
    tenant_id   TEXT   NOT NULL,
    -- The number of the tenant's last event. Its row is locked until the event is committed, so that the numbers appear
    -- in their order: whoever has read up to one has missed none before it.
    last_number BIGINT NOT NULL,
    CONSTRAINT event_counter_pk PRIMARY KEY (tenant_id),
    CONSTRAINT event_counter_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE TABLE account_event (
    event_id    TEXT   NOT NULL,
    tenant_id   TEXT   NOT NULL,
    -- Counts from 1 for each tenant.
    number      BIGINT NOT NULL,
    kind        TEXT   NOT NULL,
    -- The id of the scan or batch that it tells of; it goes with a scan that is deleted.
    subject_id  TEXT,
    -- A JSON object.
    data        TEXT   NOT NULL,
    occurred_at BIGINT NOT NULL,
    CONSTRAINT account_event_pk PRIMARY KEY (event_id),
    CONSTRAINT account_event_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX account_event_in_order ON account_event (tenant_id, number);
CREATE INDEX account_event_by_subject ON account_event (tenant_id, subject_id);
CREATE INDEX account_event_by_age ON account_event (occurred_at);

CREATE TABLE webhook_endpoint (
    webhook_endpoint_id TEXT   NOT NULL,
    tenant_id           TEXT   NOT NULL,
    url                 TEXT   NOT NULL,
    -- In the clear: every delivery is signed with it.
    secret              TEXT   NOT NULL,
    -- Kinds of events, with spaces between them.
    events              TEXT   NOT NULL,
    is_enabled          BIGINT NOT NULL DEFAULT 1,
    -- Failed tries since the last delivery that arrived, and since when.
    n_failures          BIGINT NOT NULL DEFAULT 0,
    failing_since       BIGINT,
    -- Left alone until then after failures.
    rest_until          BIGINT,
    created_at          BIGINT NOT NULL,
    CONSTRAINT webhook_endpoint_pk PRIMARY KEY (webhook_endpoint_id),
    CONSTRAINT webhook_endpoint_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT webhook_endpoint_enabled CHECK (is_enabled IN (0, 1))
);

CREATE INDEX webhook_endpoint_by_tenant ON webhook_endpoint (tenant_id);

-- One event for one endpoint: the outbox.
CREATE TABLE webhook_delivery (
    event_id            TEXT   NOT NULL,
    webhook_endpoint_id TEXT   NOT NULL,
    tenant_id           TEXT   NOT NULL,
    state               TEXT   NOT NULL,
    attempts            BIGINT NOT NULL DEFAULT 0,
    next_at             BIGINT NOT NULL,
    -- Who is trying, and until when it is theirs.
    lease_worker        TEXT,
    lease_until         BIGINT,
    -- The status of the last answer, and what was wrong as people read it.
    last_status         BIGINT,
    problem             TEXT,
    tried_at            BIGINT,
    CONSTRAINT webhook_delivery_pk PRIMARY KEY (event_id, webhook_endpoint_id),
    CONSTRAINT webhook_delivery_event_fk FOREIGN KEY (event_id) REFERENCES account_event (event_id) ON DELETE CASCADE,
    CONSTRAINT webhook_delivery_endpoint_fk FOREIGN KEY (webhook_endpoint_id)
        REFERENCES webhook_endpoint (webhook_endpoint_id) ON DELETE CASCADE,
    CONSTRAINT webhook_delivery_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT webhook_delivery_known_state CHECK (state IN ('waiting', 'delivered', 'dead')),
    CONSTRAINT webhook_delivery_lease_ends CHECK ((lease_worker IS NULL) = (lease_until IS NULL))
);

CREATE INDEX webhook_delivery_due ON webhook_delivery (state, next_at);
CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (webhook_endpoint_id, state);
CREATE INDEX webhook_delivery_in_flight ON webhook_delivery (webhook_endpoint_id, lease_until);
CREATE INDEX webhook_delivery_by_tenant ON webhook_delivery (tenant_id);
