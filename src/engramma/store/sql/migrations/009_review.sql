-- What waits for somebody's word, and what was said to it.

-- Claims of one person that cannot both hold and say nothing of a change, by their keys; written whenever a person is
-- reconciled. item: a hash of both claims' ids, the same however often they are extracted. sure: 1 contradiction by
-- one speaker, 0 two speakers disagree.
CREATE TABLE conflicts (
  ns      INTEGER NOT NULL,
  item    INTEGER NOT NULL,
  person  INTEGER NOT NULL,
  about   TEXT NOT NULL,
  sure    INTEGER NOT NULL,
  earlier INTEGER NOT NULL,
  later   INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  PRIMARY KEY (ns, item)
) WITHOUT ROWID, STRICT;
CREATE INDEX conflicts_of_person ON conflicts (ns, person, about);
CREATE INDEX conflicts_earlier ON conflicts (ns, earlier);
CREATE INDEX conflicts_later ON conflicts (ns, later);
CREATE INDEX conflicts_in_order ON conflicts (ns, sure, said_at, item);

CREATE TRIGGER review_claim_gone AFTER DELETE ON claims BEGIN
  DELETE FROM conflicts WHERE ns = old.ns AND earlier = old.key;
  DELETE FROM conflicts WHERE ns = old.ns AND later = old.key;
END;

-- Proposals that were accepted or refused, by hashes of what they were about; with the act they come back when undone.
CREATE TABLE reviewed (
  ns   INTEGER NOT NULL,
  item INTEGER NOT NULL,
  act  INTEGER NOT NULL,
  PRIMARY KEY (ns, item)
) WITHOUT ROWID, STRICT;
CREATE INDEX reviewed_by_act ON reviewed (ns, act);

-- The least sure decisions first.
CREATE INDEX decisions_by_confidence ON decisions (ns, confidence, key);

-- Who was reconciled before is looked at once more, so that their conflicts are known.
INSERT INTO unsettled (ns, person, relation, changes)
SELECT DISTINCT ns, subject, relation, 1 FROM claims WHERE subject > 0 AND relation IN ('works_as', 'founded', 'works_at',
  'hired_by', 'started', 'lives_in', 'moved_to', 'dating', 'engaged_to', 'married_to', 'has_partner', 'studies_at')
ON CONFLICT (ns, person, relation) DO UPDATE SET changes = changes + 1;
