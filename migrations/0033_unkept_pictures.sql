-- Since when the settings keep no pictures of a size.
-- Why: a second server, or a restored one, whose settings keep less than they should deleted all pictures within a second
-- of its start. They are now deleted after a day in which no server kept them.

CREATE TABLE unkept_picture_size (
    size  TEXT   NOT NULL,
    since BIGINT NOT NULL,
    CONSTRAINT unkept_picture_size_pk PRIMARY KEY (size),
    CONSTRAINT unkept_picture_size_known CHECK (size IN ('thumbnail', 'full'))
);
