-- What NHTSA lists of a make, model and model year: recalls and complaints.
-- Why: the service is asked for a vehicle once a week at most, and what it answered last is shown, with its day, where it
-- does not answer. By tenant, like every answer from elsewhere: it goes with the account, and nobody learns from the
-- time of an answer what others drive.
CREATE TABLE safety_record (
    tenant_id  TEXT   NOT NULL,
    -- Year, make and model as they were asked for, in lower case.
    vehicle    TEXT   NOT NULL,
    -- JSON: the recalls, the newest complaints, and how many there are by component.
    records    TEXT   NOT NULL,
    fetched_at BIGINT NOT NULL,
    CONSTRAINT safety_record_pk PRIMARY KEY (tenant_id, vehicle),
    CONSTRAINT safety_record_tenant_fk FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id) ON DELETE CASCADE
);

-- Serves the deletion of what a tenant has not asked for in a long time.
CREATE INDEX safety_record_by_time ON safety_record (tenant_id, fetched_at);
