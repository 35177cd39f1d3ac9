-- What a turn's source says beside its words, as JSON; NULL: nothing.
ALTER TABLE turns ADD COLUMN meta TEXT;

-- What was masked in a turn before it was stored: the rule, where in the original text, how long, and a keyed
-- fingerprint by which the same secret can be recognised. Never the secret.
CREATE TABLE redactions (
  ns          INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  n           INTEGER NOT NULL,
  rule        TEXT NOT NULL,
  start       INTEGER NOT NULL,
  length      INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (ns, turn, n)
) WITHOUT ROWID, STRICT;
