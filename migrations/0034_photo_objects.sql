-- Photographs of scans that lie outside the database, as objects in a folder or a bucket.
-- Why: whoever keeps every photograph has more of them than a database should hold. Each object has its row before it is
-- written and until it is deleted, so that none is ever forgotten. When its scan goes, however it goes, the database
-- itself empties `scan_id`, and the object is deleted by that.

-- Whether the bytes lie in an object and no longer here.
ALTER TABLE scan_photo ADD COLUMN is_outside BIGINT NOT NULL DEFAULT 0
    CONSTRAINT scan_photo_outside_flag CHECK (is_outside IN (0, 1));

-- Serves the search for photographs to be moved.
CREATE INDEX scan_photo_to_move ON scan_photo (scan_id) WHERE size = 'full' AND is_outside = 0;

CREATE TABLE photo_object (
    -- Random: it says nothing of anybody.
    object_key TEXT   NOT NULL,
    -- The photograph that the object is of; both empty once it may be deleted.
    scan_id    TEXT,
    size       TEXT,
    -- The folder or bucket, as the setting `photo_storage` named it then.
    storage    TEXT   NOT NULL,
    n_bytes    BIGINT NOT NULL,
    -- Whether it is complete and stands for its photograph. An object may be there before that, in part or whole.
    is_stored  BIGINT NOT NULL DEFAULT 0,
    -- When a server last began to write it.
    tried_at   BIGINT NOT NULL,
    CONSTRAINT photo_object_pk PRIMARY KEY (object_key),
    CONSTRAINT photo_object_photo_fk FOREIGN KEY (scan_id, size) REFERENCES scan_photo (scan_id, size)
        ON DELETE SET NULL,
    CONSTRAINT photo_object_whole_photo CHECK ((scan_id IS NULL) = (size IS NULL)),
    CONSTRAINT photo_object_stored_flag CHECK (is_stored IN (0, 1))
);

-- Serves the deletion of scans, and the reading of a photograph.
CREATE INDEX photo_object_of_scan ON photo_object (scan_id, size);
-- Serves the deletion of objects.
CREATE INDEX photo_object_to_delete ON photo_object (storage, tried_at) WHERE scan_id IS NULL;
