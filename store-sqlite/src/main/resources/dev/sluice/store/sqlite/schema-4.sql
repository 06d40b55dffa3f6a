-- What users typed, while their sessions live.

CREATE TABLE prompt (
    session TEXT    NOT NULL,
    number  INTEGER NOT NULL,
    text    TEXT    NOT NULL,
    bytes   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
