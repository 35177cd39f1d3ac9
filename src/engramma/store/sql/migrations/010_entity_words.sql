-- The user's word about entities: another name, further names, another type, one with others, not a thing at all. It
-- stands beside what the rules extract, so it stays whatever is extracted later.

-- named: the name is the user's. base: the type by the rules, where the user gave another. merged: the entity that this
-- one is one with, or 0. gone: deleted by the user. mentions: how often it is named, counted as mentions come and go.
ALTER TABLE entities ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entities ADD COLUMN base TEXT;
ALTER TABLE entities ADD COLUMN merged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entities ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entities ADD COLUMN mentions INTEGER NOT NULL DEFAULT 0;
UPDATE entities SET mentions = (SELECT coalesce(sum(n.times), 0) FROM names n WHERE n.ns = entities.ns AND n.entity = entities.key);
CREATE INDEX entities_by_mentions ON entities (ns, mentions);
CREATE INDEX entities_counted ON entities (ns, type, gone, mentions) WHERE gone = 0 AND mentions > 0;
CREATE INDEX entities_by_name ON entities (ns, name, type);
CREATE INDEX entities_merged ON entities (ns, merged) WHERE merged > 0;

-- One word of an act about an entity; what an entity is, is the replay of those that were not undone.
CREATE TABLE entity_words (
  ns     INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  act    INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (ns, entity, act, kind, value)
) WITHOUT ROWID, STRICT;
CREATE INDEX entity_words_of_act ON entity_words (ns, act);

-- The turns in which an entity with a word is or was named, hidden ones too: with the last of them its words go.
CREATE TABLE entity_turns (
  ns     INTEGER NOT NULL,
  turn   INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (ns, turn, entity)
) WITHOUT ROWID, STRICT;
CREATE INDEX entity_turns_of ON entity_turns (ns, entity);

CREATE TRIGGER entity_mention_came AFTER INSERT ON mentions BEGIN
  UPDATE entities SET mentions = mentions + 1 WHERE ns = new.ns AND key = new.entity;
  INSERT INTO entity_turns (ns, turn, entity) SELECT new.ns, new.turn, new.entity
  WHERE EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = new.ns AND w.entity = new.entity)
  ON CONFLICT (ns, turn, entity) DO NOTHING;
END;

CREATE TRIGGER entity_mention_gone AFTER DELETE ON mentions BEGIN
  UPDATE entities SET mentions = mentions - 1 WHERE ns = old.ns AND key = old.entity;
END;

CREATE TRIGGER entity_turn_gone AFTER DELETE ON turns BEGIN
  INSERT INTO loose (ns, entity) SELECT ns, entity FROM entity_turns WHERE ns = old.ns AND turn = old.key
  ON CONFLICT (ns, entity) DO NOTHING;
  DELETE FROM entity_words WHERE ns = old.ns
    AND entity IN (SELECT entity FROM entity_turns WHERE ns = old.ns AND turn = old.key)
    AND NOT EXISTS (SELECT 1 FROM entity_turns t WHERE t.ns = old.ns AND t.entity = entity_words.entity AND t.turn <> old.key);
  DELETE FROM entity_turns WHERE ns = old.ns AND turn = old.key;
END;
