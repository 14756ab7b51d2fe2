-- The pictures of people, copied from their sign-in provider.
-- Why: a picture that is shown from the provider's own address tells it whenever somebody looks at the page. Beside the
-- accounts, since those are read at every call.
CREATE TABLE profile_picture (
    user_id    TEXT   NOT NULL,
    -- A data URL of a PNG or JPEG that we have drawn, at most 128 pixels a side.
    picture    TEXT   NOT NULL,
    -- Where it was copied from, and when: the same address is not asked at every sign-in.
    source_url TEXT   NOT NULL,
    copied_at  BIGINT NOT NULL,
    CONSTRAINT profile_picture_pk PRIMARY KEY (user_id),
    CONSTRAINT profile_picture_user_fk FOREIGN KEY (user_id) REFERENCES app_user (user_id) ON DELETE CASCADE
);
