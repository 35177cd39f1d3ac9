-- Who said what about whom: claims with their sources, the entities they name, and decisions about them. All but the
-- decisions is a function of what is visible in the turns, so it may be thrown away and extracted again at any time.

-- A piece of a session (200 turns) and the version of the rules by which it was extracted; 0: it waits.
-- changes: counts what happened to its turns, so that what was extracted from an older state is not written.
CREATE TABLE extracted (
  ns      INTEGER NOT NULL,
  session INTEGER NOT NULL,
  block   INTEGER NOT NULL,
  version INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  PRIMARY KEY (ns, session, block)
) WITHOUT ROWID, STRICT;
CREATE INDEX extracted_waiting ON extracted (ns, version, session, block);

-- owner: whose it is, where that tells it from others of its name; 0: nobody's. name: the form most used.
CREATE TABLE entities (
  ns    INTEGER NOT NULL,
  key   INTEGER NOT NULL,
  type  TEXT NOT NULL,
  name  TEXT NOT NULL,
  owner INTEGER NOT NULL,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX entities_by_type ON entities (ns, type, name);
CREATE INDEX entities_owned ON entities (ns, owner) WHERE owner > 0;

-- How an entity is found by what it is called: hashes of its names' forms (people/names.py). kind: 0 the form itself,
-- 1 its words in another order, 2 less one letter.
CREATE TABLE forms (
  ns     INTEGER NOT NULL,
  form   INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  kind   INTEGER NOT NULL,
  PRIMARY KEY (ns, form, entity)
) WITHOUT ROWID, STRICT;
CREATE INDEX forms_of_entity ON forms (ns, entity);

-- Where an entity was named, and how: its aliases are the names that stand here. made_by: 0 the rules, 1 a model.
CREATE TABLE mentions (
  ns      INTEGER NOT NULL,
  entity  INTEGER NOT NULL,
  turn    INTEGER NOT NULL,
  name    TEXT NOT NULL,
  session INTEGER NOT NULL,
  block   INTEGER NOT NULL,
  made_by INTEGER NOT NULL,
  PRIMARY KEY (ns, entity, turn, name)
) WITHOUT ROWID, STRICT;
CREATE INDEX mentions_of_session ON mentions (ns, session, block);
CREATE INDEX mentions_of_turn ON mentions (ns, turn);

-- The quote is the turn's text from start on; who said it and where is the turn's. subject: 0 if nobody can tell.
-- object: the entity that the value names, or 0. fact: the same for everybody who says the same. others: further
-- turns that it rests on, as JSON. questions: those that it answers, with the answers, as JSON.
CREATE TABLE claims (
  ns         INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  session    INTEGER NOT NULL,
  block      INTEGER NOT NULL,
  turn       INTEGER NOT NULL,
  start      INTEGER NOT NULL,
  length     INTEGER NOT NULL,
  others     TEXT,
  subject    INTEGER NOT NULL,
  relation   TEXT NOT NULL,
  object     INTEGER NOT NULL,
  value      TEXT NOT NULL,
  fact       INTEGER NOT NULL,
  said_at    INTEGER NOT NULL,
  valid_from INTEGER,
  valid_to   INTEGER,
  negated    INTEGER NOT NULL,
  modality   TEXT NOT NULL,
  confidence REAL NOT NULL,
  method     TEXT NOT NULL,
  questions  TEXT,
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX claims_of_session ON claims (ns, session, block);
CREATE INDEX claims_of_turn ON claims (ns, turn);
CREATE INDEX claims_of_subject ON claims (ns, subject, relation, said_at);
CREATE INDEX claims_of_object ON claims (ns, object, relation, said_at) WHERE object > 0;
CREATE INDEX claims_of_fact ON claims (ns, fact);
CREATE INDEX claims_of_relation ON claims (ns, relation, said_at);

-- Entities that lost mentions with a turn: they are to be named anew, or go.
CREATE TABLE loose (
  ns     INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (ns, entity)
) WITHOUT ROWID, STRICT;

-- Whether things of one person from several conversations are the same. evidence and conversations as JSON.
-- act: by which it can be undone. overruled: by the decision of this number, or 0. undone: it was taken back.
CREATE TABLE decisions (
  ns            INTEGER NOT NULL,
  key           INTEGER NOT NULL,
  act           INTEGER NOT NULL,
  verdict       TEXT NOT NULL,
  person        TEXT NOT NULL,
  entity        TEXT NOT NULL,
  conversations TEXT NOT NULL,
  reason        TEXT NOT NULL,
  evidence      TEXT NOT NULL,
  confidence    REAL NOT NULL,
  made_by       TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  overruled     INTEGER NOT NULL DEFAULT 0,
  undone        INTEGER NOT NULL DEFAULT 0,
  basis         INTEGER NOT NULL DEFAULT 0, -- a hash of what was compared: what a model decided stands while it is so
  PRIMARY KEY (ns, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX decisions_about ON decisions (ns, person, entity, key);

-- The turns that a decision rests on: with one of them it goes.
CREATE TABLE decision_turns (
  ns       INTEGER NOT NULL,
  turn     INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  PRIMARY KEY (ns, turn, decision)
) WITHOUT ROWID, STRICT;
CREATE INDEX decision_turns_of ON decision_turns (ns, decision, turn);

-- Triggers, so that no writer of turns can leave a claim behind: what came or moved waits to be extracted, and what is
-- deleted or reworded takes all claims of its session with it, which may have been read in its light.
CREATE TRIGGER people_turn_came AFTER INSERT ON turns BEGIN
  INSERT INTO extracted (ns, session, block, version, changes) VALUES (new.ns, new.session, new.position / 200, 0, 1)
  ON CONFLICT (ns, session, block) DO UPDATE SET version = 0, changes = changes + 1;
END;

CREATE TRIGGER people_turn_moved AFTER UPDATE OF position ON turns WHEN new.position >= 0 BEGIN
  INSERT INTO extracted (ns, session, block, version, changes) VALUES (new.ns, new.session, new.position / 200, 0, 1)
  ON CONFLICT (ns, session, block) DO UPDATE SET version = 0, changes = changes + 1;
END;

CREATE TRIGGER people_turn_hidden AFTER UPDATE OF hidden ON turns WHEN (new.hidden > 0) <> (old.hidden > 0) BEGIN
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = new.ns AND session = new.session;
END;

CREATE TRIGGER people_turn_reworded AFTER UPDATE OF text, speaker, said_at ON turns BEGIN
  DELETE FROM claims WHERE ns = new.ns AND session = new.session;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = new.ns AND session = new.session
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = new.ns AND session = new.session;
  DELETE FROM decisions WHERE ns = new.ns AND key IN (SELECT decision FROM decision_turns WHERE ns = new.ns AND turn = new.key);
  DELETE FROM decision_turns WHERE ns = new.ns AND turn = new.key;
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = new.ns AND session = new.session;
END;

CREATE TRIGGER people_turn_gone AFTER DELETE ON turns BEGIN
  DELETE FROM claims WHERE ns = old.ns AND session = old.session;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = old.ns AND session = old.session
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = old.ns AND session = old.session;
  DELETE FROM decisions WHERE ns = old.ns AND key IN (SELECT decision FROM decision_turns WHERE ns = old.ns AND turn = old.key);
  DELETE FROM decision_turns WHERE ns = old.ns AND turn = old.key;
  UPDATE extracted SET version = 0, changes = changes + 1 WHERE ns = old.ns AND session = old.session;
END;

CREATE TRIGGER people_session_gone AFTER DELETE ON sessions BEGIN
  DELETE FROM claims WHERE ns = old.ns AND session = old.key;
  INSERT INTO loose (ns, entity) SELECT DISTINCT ns, entity FROM mentions WHERE ns = old.ns AND session = old.key
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM mentions WHERE ns = old.ns AND session = old.key;
  DELETE FROM extracted WHERE ns = old.ns AND session = old.key;
END;

-- Of whom claims came or went since their conversations were reconciled, and of which relation. changes: counts them,
-- so that what was reconciled from an older state is not taken for done.
CREATE TABLE unsettled (
  ns       INTEGER NOT NULL,
  person   INTEGER NOT NULL,
  relation TEXT NOT NULL,
  changes  INTEGER NOT NULL,
  PRIMARY KEY (ns, person, relation)
) WITHOUT ROWID, STRICT;

CREATE TRIGGER people_claim_came AFTER INSERT ON claims WHEN new.subject > 0 BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (new.ns, new.subject, new.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER people_claim_moved AFTER UPDATE OF subject ON claims WHEN new.subject <> old.subject BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (old.ns, old.subject, old.relation, 1), (new.ns, new.subject, new.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER people_claim_gone AFTER DELETE ON claims WHEN old.subject > 0 BEGIN
  INSERT INTO unsettled (ns, person, relation, changes) VALUES (old.ns, old.subject, old.relation, 1)
  ON CONFLICT (ns, person, relation) DO UPDATE SET changes = changes + 1;
END;

-- What was stored before waits.
INSERT INTO extracted (ns, session, block, version, changes)
SELECT DISTINCT ns, session, position / 200, 0, 0 FROM turns;
