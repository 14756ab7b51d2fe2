-- Which part a repair fitted: its type, number and brand.
-- Why: what was fitted last is what is looked for when it fails again, or is recalled.

ALTER TABLE repair ADD COLUMN part_label TEXT;
ALTER TABLE repair ADD COLUMN part_number TEXT;
ALTER TABLE repair ADD COLUMN part_brand TEXT;
