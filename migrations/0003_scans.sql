-- Answered scans: what the model said, and what stood behind it.
-- The guide and the suppliers are not stored: they follow from the label, and so improve with the catalogue.

CREATE TABLE scan (
    scan_id       TEXT             NOT NULL,
    user_id       TEXT             NOT NULL,
    vehicle_id    TEXT,
    -- The vehicle as it was called at the time, kept when the vehicle goes.
    vehicle_year  BIGINT,
    vehicle_make  TEXT,
    vehicle_model TEXT,
    verdict       TEXT             NOT NULL,
    label         TEXT             NOT NULL,
    confidence    DOUBLE PRECISION NOT NULL,
    known_score   DOUBLE PRECISION NOT NULL,
    -- JSON: the next candidates, most probable first.
    alternatives  TEXT             NOT NULL,
    -- JSON: model, thresholds, milliseconds a stage.
    receipt       TEXT             NOT NULL,
    scanned_at    BIGINT           NOT NULL,
    CONSTRAINT scan_pk PRIMARY KEY (scan_id),
    CONSTRAINT scan_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE,
    CONSTRAINT scan_vehicle_fk FOREIGN KEY (vehicle_id) REFERENCES vehicle (vehicle_id) ON DELETE SET NULL,
    CONSTRAINT scan_verdict_known CHECK (verdict IN ('identified', 'not-sure'))
);

-- Serves "the newest of this user", with and without a vehicle.
CREATE INDEX scan_by_user ON scan (user_id, scanned_at);
CREATE INDEX scan_by_vehicle ON scan (vehicle_id, scanned_at);
