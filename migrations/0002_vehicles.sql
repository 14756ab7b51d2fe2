-- Saved vehicles, one of which is the default of its owner.

CREATE TABLE vehicle (
    vehicle_id    TEXT   NOT NULL,
    user_id       TEXT   NOT NULL,
    make          TEXT   NOT NULL,
    model         TEXT   NOT NULL,
    year          BIGINT NOT NULL,
    engine        TEXT,
    transmission  TEXT,
    vin           TEXT,
    license_plate TEXT,
    is_default    BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL,
    CONSTRAINT vehicle_pk PRIMARY KEY (vehicle_id),
    CONSTRAINT vehicle_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT vehicle_default_flag CHECK (is_default IN (0, 1))
);

CREATE INDEX vehicle_by_user ON vehicle (user_id);

-- Two tabs that each set a default at once cannot leave two of them.
CREATE UNIQUE INDEX vehicle_one_default ON vehicle (user_id) WHERE is_default = 1;
