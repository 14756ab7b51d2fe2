-- What a call of the language model was for, and for whom.
-- Why: judgements of photographs and answers that fill in what the catalogue lacks are paid from one budget, and whoever
-- pays must be able to tell them apart. Judgements are told with their scans already, so only the others name a user.

ALTER TABLE judge_call ADD COLUMN purpose TEXT NOT NULL DEFAULT 'judgement';
ALTER TABLE judge_call ADD COLUMN user_id TEXT REFERENCES app_user (user_id) ON DELETE SET NULL;

-- Serves the usage of a user.
CREATE INDEX judge_call_by_user ON judge_call (user_id, spent_day);
