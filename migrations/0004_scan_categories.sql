-- The category that answered for its part types where they tied.
-- Both columns or neither; the scans made before have neither.

ALTER TABLE scan ADD COLUMN category TEXT;
ALTER TABLE scan ADD COLUMN category_confidence DOUBLE PRECISION
    CONSTRAINT scan_category_whole CHECK ((category IS NULL) = (category_confidence IS NULL));
