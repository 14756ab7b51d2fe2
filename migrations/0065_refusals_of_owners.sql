-- What an owner had refused holds for their company.
-- Why: a company began without its owner's word on whether photographs may leave, and a server that takes silence for a
-- yes sent them. A company that has said something itself keeps its own word.

INSERT INTO judge_consent (tenant_id, is_allowed, changed_at)
SELECT company.tenant_id, judge_consent.is_allowed, judge_consent.changed_at
FROM company
JOIN app_user ON app_user.user_id = company.owner_id
JOIN judge_consent ON judge_consent.tenant_id = app_user.tenant_id
WHERE judge_consent.is_allowed = 0 AND company.tenant_id <> app_user.tenant_id
  AND NOT EXISTS (SELECT 1 FROM judge_consent AS own WHERE own.tenant_id = company.tenant_id);
