-- Whose learning feedback belongs to: the shop that its author worked for when they gave it.
-- Why: a company learns from all its members, and a person who leaves takes along what was theirs before. None is the
-- author alone, as it was before this column, and what a deleted company leaves behind.
ALTER TABLE scan_feedback ADD COLUMN shop_tenant_id TEXT
    CONSTRAINT scan_feedback_shop_fk REFERENCES tenant (tenant_id) ON DELETE SET NULL;

-- Serves what is fitted to the feedback of a shop.
CREATE INDEX scan_feedback_by_learner ON scan_feedback (COALESCE(shop_tenant_id, tenant_id), changed_at);
-- Serves the deletion of a company.
CREATE INDEX scan_feedback_by_shop ON scan_feedback (shop_tenant_id);

-- What an owner let the server learn holds for their company, so that nothing that was forbidden is allowed now, and so
-- does the calibration that was in force for them.
INSERT INTO learning_choice (tenant_id, confirmed_scans_teach, refit_calibration, changed_at)
SELECT company.tenant_id, learning_choice.confirmed_scans_teach, learning_choice.refit_calibration,
       learning_choice.changed_at
FROM company
JOIN app_user ON app_user.user_id = company.owner_id
JOIN learning_choice ON learning_choice.tenant_id = app_user.tenant_id;

INSERT INTO tenant_calibration (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at)
SELECT company.tenant_id, tenant_calibration.model_sha256, tenant_calibration.temperature,
       tenant_calibration.outcome, tenant_calibration.n, tenant_calibration.figures,
       tenant_calibration.attempted_at
FROM company
JOIN app_user ON app_user.user_id = company.owner_id
JOIN tenant_calibration ON tenant_calibration.tenant_id = app_user.tenant_id;
