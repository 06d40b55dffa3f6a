-- Values that an agent has not seen, by handles; gone with their session.
CREATE TABLE variable (
    session TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    about   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    PRIMARY KEY (session, id)
) STRICT;

-- What a session's values take up is asked before each answer that brings more.
CREATE INDEX variable_size ON variable (session, size);
