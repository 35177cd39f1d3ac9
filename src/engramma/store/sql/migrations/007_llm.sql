-- What a language model has read, for those who want one. What waits is no table: it is every block of talk whose count
-- of changes (`extracted`, kept by triggers in the transaction of whoever writes a turn) is not the one read here. So
-- writing costs nothing more, and nothing can be lost between a write and a queue. Keys only, never a word of the talk.

-- changes: the state of a block that was read; -1: not read to the end. tries: how often it failed since.
CREATE TABLE llm_blocks (
  ns         INTEGER NOT NULL,
  session    INTEGER NOT NULL,
  block      INTEGER NOT NULL,
  changes    INTEGER NOT NULL,
  tries      INTEGER NOT NULL,
  wait_until INTEGER NOT NULL,
  PRIMARY KEY (ns, session, block)
) WITHOUT ROWID, STRICT;

-- A piece of a block, known by a hash of what was shown and to which model: it is asked about once.
-- outcome: read, unreadable (no JSON), failed (no reply in many tries). dropped: how many claims for which reason, as JSON.
CREATE TABLE llm_pieces (
  ns       INTEGER NOT NULL,
  session  INTEGER NOT NULL,
  block    INTEGER NOT NULL,
  piece    TEXT NOT NULL,
  model    TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  proposed INTEGER NOT NULL,
  kept     INTEGER NOT NULL,
  dropped  TEXT NOT NULL,
  read_at  INTEGER NOT NULL,
  PRIMARY KEY (ns, session, block, piece)
) WITHOUT ROWID, STRICT;

-- What a day cost. A question is counted before it is sent: one that is killed on its way was paid for, too.
CREATE TABLE llm_usage (
  ns                INTEGER NOT NULL,
  day               TEXT NOT NULL,
  model             TEXT NOT NULL,
  requests          INTEGER NOT NULL,
  failed            INTEGER NOT NULL,
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  estimated         INTEGER NOT NULL,
  proposed          INTEGER NOT NULL,
  kept              INTEGER NOT NULL,
  PRIMARY KEY (ns, day, model)
) WITHOUT ROWID, STRICT;

-- What was forgotten may be said between the lines of what a model made of its neighbours, so all of the session's is
-- read again; what is reworded or deleted takes the claims of its session with it by the triggers of 006.
CREATE TRIGGER llm_turn_hidden AFTER UPDATE OF hidden ON turns WHEN (new.hidden > 0) <> (old.hidden > 0) BEGIN
  DELETE FROM claims WHERE ns = new.ns AND session = new.session AND method <> 'rules';
  INSERT INTO loose (ns, entity)
  SELECT DISTINCT ns, entity FROM mentions WHERE ns = new.ns AND session = new.session AND made_by = 1
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = new.ns AND session = new.session AND made_by = 1;
  DELETE FROM llm_pieces WHERE ns = new.ns AND session = new.session;
END;

CREATE TRIGGER llm_turn_reworded AFTER UPDATE OF text, speaker, said_at ON turns BEGIN
  DELETE FROM llm_pieces WHERE ns = new.ns AND session = new.session;
END;

CREATE TRIGGER llm_turn_gone AFTER DELETE ON turns BEGIN
  DELETE FROM llm_pieces WHERE ns = old.ns AND session = old.session;
END;

CREATE TRIGGER llm_session_gone AFTER DELETE ON sessions BEGIN
  DELETE FROM llm_pieces WHERE ns = old.ns AND session = old.key;
  DELETE FROM llm_blocks WHERE ns = old.ns AND session = old.key;
END;
