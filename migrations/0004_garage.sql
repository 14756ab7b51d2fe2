-- Vehicles, what was done to them, what is due, and the calendar of it.
-- Why: reminders follow from what was logged, so records, intervals and odometer readings belong together.
-- Days are text like 2025-03-05, which sorts as days do: a record is of a day where the owner was, not of a point in time.
-- Money is in US cents. A vehicle that is deleted takes its records along.

CREATE TABLE vehicle (
    vehicle_id    TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    make          TEXT   NOT NULL,
    model         TEXT   NOT NULL,
    year          BIGINT NOT NULL,
    engine        TEXT,
    transmission  TEXT,
    vin           TEXT,
    license_plate TEXT,
    is_default    BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    CONSTRAINT vehicle_key PRIMARY KEY (vehicle_id),
    CONSTRAINT vehicle_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT vehicle_is_default_flag CHECK (is_default IN (0, 1))
);

CREATE INDEX vehicle_by_tenant ON vehicle (tenant_id);
-- Two tabs that each set a default at once cannot leave two of them.
CREATE UNIQUE INDEX vehicle_one_default_a_tenant ON vehicle (tenant_id) WHERE is_default = 1;

CREATE TABLE oil_change (
    oil_change_id TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    vehicle_id    TEXT   NOT NULL,
    mileage       BIGINT NOT NULL,
    oil_type      TEXT,
    oil_brand     TEXT,
    filter_brand  TEXT,
    notes         TEXT,
    cost_cents    BIGINT,
    change_date   TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    CONSTRAINT oil_change_pk PRIMARY KEY (oil_change_id),
    CONSTRAINT oil_change_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT oil_change_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id) ON DELETE CASCADE,
    CONSTRAINT oil_change_mileage_range CHECK (mileage BETWEEN 0 AND 999999)
);

-- Serves "the newest of this tenant" and "of this vehicle", page by page.
CREATE INDEX oil_change_by_tenant ON oil_change (tenant_id, change_date, oil_change_id);
CREATE INDEX oil_change_by_vehicle ON oil_change (vehicle_id, change_date, oil_change_id);

CREATE TABLE repair (
    repair_id     TEXT   NOT NULL,
    tenant_id     TEXT   NOT NULL,
    vehicle_id    TEXT   NOT NULL,
    mileage       BIGINT NOT NULL,
    part_replaced TEXT   NOT NULL,
    -- Type, number and brand of the part that was fitted: it is what is looked for when it fails again, or is recalled.
    part_label    TEXT,
    part_number   TEXT,
    part_brand    TEXT,
    notes         TEXT,
    cost_cents    BIGINT,
    repair_date   TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    CONSTRAINT repair_pk PRIMARY KEY (repair_id),
    CONSTRAINT repair_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT repair_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id) ON DELETE CASCADE,
    CONSTRAINT repair_mileage_range CHECK (mileage BETWEEN 1 AND 999999)
);

CREATE INDEX repair_by_tenant ON repair (tenant_id, repair_date, repair_id);
CREATE INDEX repair_by_vehicle ON repair (vehicle_id, repair_date, repair_id);

-- Readings that belong to no record: fuel logs of other programs, and what an owner notes in between.
CREATE TABLE odometer_reading (
    tenant_id  TEXT   NOT NULL,
    vehicle_id TEXT   NOT NULL,
    read_on    TEXT   NOT NULL,
    mileage    BIGINT NOT NULL,
    CONSTRAINT odometer_reading_pk PRIMARY KEY (vehicle_id, read_on, mileage),
    CONSTRAINT odometer_reading_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT odometer_reading_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id)
        ON DELETE CASCADE,
    CONSTRAINT odometer_reading_mileage_range CHECK (mileage BETWEEN 0 AND 999999)
);

-- Serves the deletion of a tenant.
CREATE INDEX odometer_reading_by_tenant ON odometer_reading (tenant_id);

-- What an owner set for an item; the items that nobody changed are in the program's schedule.
CREATE TABLE maintenance_item (
    tenant_id         TEXT   NOT NULL,
    vehicle_id        TEXT   NOT NULL,
    item              TEXT   NOT NULL,
    name              TEXT,
    interval_months   BIGINT,
    interval_miles    BIGINT,
    last_done_on      TEXT,
    last_done_mileage BIGINT,
    snoozed_until     TEXT,
    is_enabled        BIGINT NOT NULL DEFAULT 1,
    CONSTRAINT maintenance_item_pk PRIMARY KEY (vehicle_id, item),
    CONSTRAINT maintenance_item_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT maintenance_item_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id)
        ON DELETE CASCADE,
    CONSTRAINT maintenance_item_enabled_flag CHECK (is_enabled IN (0, 1))
);

CREATE INDEX maintenance_item_by_tenant ON maintenance_item (tenant_id);

-- What the owner knows about the oil of a vehicle. It takes precedence over our own tables.
CREATE TABLE vehicle_oil (
    vehicle_id              TEXT NOT NULL,
    tenant_id               TEXT NOT NULL,
    oil_type                TEXT,
    oil_capacity_hundredths BIGINT,
    oil_filter              TEXT,
    CONSTRAINT vehicle_oil_pk PRIMARY KEY (vehicle_id),
    CONSTRAINT vehicle_oil_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE,
    CONSTRAINT vehicle_oil_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id) ON DELETE CASCADE
);

CREATE INDEX vehicle_oil_by_tenant ON vehicle_oil (tenant_id);

-- The address of a calendar feed holds a random secret; only its SHA-256 is kept. A person has one at most.
CREATE TABLE calendar_feed (
    user_id      TEXT   NOT NULL,
    token_sha256 TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    CONSTRAINT calendar_feed_pk PRIMARY KEY (user_id),
    CONSTRAINT calendar_feed_token_unique UNIQUE (token_sha256),
    CONSTRAINT calendar_feed_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);
