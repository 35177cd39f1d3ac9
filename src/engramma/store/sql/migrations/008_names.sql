-- How often an entity is called by which name, counted as mentions come and go: naming one anew walks its names, not
-- all its mentions.
CREATE TABLE names (
  ns     INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  name   TEXT NOT NULL,
  times  INTEGER NOT NULL,
  PRIMARY KEY (ns, entity, name)
) WITHOUT ROWID, STRICT;

INSERT INTO names (ns, entity, name, times) SELECT ns, entity, name, count(*) FROM mentions GROUP BY ns, entity, name;

CREATE TRIGGER people_mention_came AFTER INSERT ON mentions BEGIN
  INSERT INTO names (ns, entity, name, times) VALUES (new.ns, new.entity, new.name, 1)
  ON CONFLICT (ns, entity, name) DO UPDATE SET times = times + 1;
END;

CREATE TRIGGER people_mention_gone AFTER DELETE ON mentions BEGIN
  UPDATE names SET times = times - 1 WHERE ns = old.ns AND entity = old.entity AND name = old.name;
  DELETE FROM names WHERE ns = old.ns AND entity = old.entity AND name = old.name AND times < 1;
END;
