-- Which scan a kept judgement belongs to.
-- Why: who deletes scans expects that where their photographs lie is forgotten as well. There is no reference to the
-- scan: the judgement is kept before the scan is saved. Judgements older than this column go when the whole history
-- is cleared, or when they expire.
ALTER TABLE judged_verdict ADD COLUMN scan_id TEXT;

CREATE INDEX judged_verdict_by_scan ON judged_verdict (tenant_id, scan_id);

-- Serves the deletion of calls that nobody asks for any more; what was spent stands in the sums of its periods.
CREATE INDEX judge_call_by_age ON judge_call (created_at);
