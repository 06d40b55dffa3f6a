-- Times are nanoseconds since 1970-01-01T00:00:00Z; labels are canonical JSON.

CREATE TABLE session (
    id        TEXT    NOT NULL PRIMARY KEY,
    key       TEXT    NOT NULL,
    principal TEXT    NOT NULL,
    display   TEXT    NOT NULL,
    started   INTEGER NOT NULL,
    seen      INTEGER NOT NULL,
    client    TEXT    NOT NULL,
    label     TEXT    NOT NULL,
    ended     INTEGER
) STRICT;

-- One live session a key; an ended one frees it.
CREATE UNIQUE INDEX session_live_key ON session (key) WHERE ended IS NULL;
CREATE INDEX session_live_seen ON session (seen) WHERE ended IS NULL;

CREATE TABLE audit (
    seq    INTEGER NOT NULL PRIMARY KEY,
    json   TEXT    NOT NULL,
    digest TEXT    NOT NULL
) STRICT;

-- One row once there is a record: kept apart from the records, so that a log cut short is noticed.
CREATE TABLE audit_head (
    one    INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    seq    INTEGER NOT NULL,
    digest TEXT    NOT NULL
) STRICT;

CREATE TABLE pin (
    server TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    name   TEXT    NOT NULL,
    digest TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (server, kind, name)
) STRICT, WITHOUT ROWID;
