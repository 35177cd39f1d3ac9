-- listed: whether an entity stands in lists and in the graph: it is somebody, or a thing that is named often enough.
-- Others are kept and found by name. What was stored before is judged when the rules read it again.
ALTER TABLE entities ADD COLUMN listed BIGINT NOT NULL DEFAULT 1;
CREATE INDEX entities_shown ON entities (ns, type, listed) WHERE gone = 0 AND mentions > 0;

-- Types by older rules, which took every name for a person's, are forgotten: the same turns tell them anew.
UPDATE entities SET type = 'unknown' WHERE owner = 0 AND base IS NULL AND type <> 'pet'
  AND NOT EXISTS (SELECT 1 FROM tallies y WHERE y.ns = entities.ns AND y.kind = 'speaker' AND y.name = entities.name)
  AND NOT EXISTS (SELECT 1 FROM entity_words w WHERE w.ns = entities.ns AND w.entity = entities.key);

-- The latest claims are those of what was said last, whenever it was imported.
CREATE INDEX claims_by_time ON claims (ns, said_at, key);
