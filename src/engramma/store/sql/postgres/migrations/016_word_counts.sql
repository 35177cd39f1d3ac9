-- In how many live segments each word stands, kept as words come and go: to count it anew, every question walked all
-- segments with its words. Nothing that is gone keeps its word here.
CREATE TABLE word_counts (
  ns BIGINT NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  documents BIGINT NOT NULL,
  PRIMARY KEY (ns, term)
) WITH (fillfactor = 70);

CREATE FUNCTION words_came() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  INSERT INTO word_counts AS k (ns, term, documents)
  SELECT c.ns, l.term, count(*) FROM came c CROSS JOIN LATERAL unnest(tsvector_to_array(c.body)) l(term)
  WHERE c.cold = 0 GROUP BY c.ns, l.term
  ON CONFLICT (ns, term) DO UPDATE SET documents = k.documents + excluded.documents;
  RETURN NULL;
END $$;
CREATE TRIGGER words_came AFTER INSERT ON words REFERENCING NEW TABLE AS came
FOR EACH STATEMENT EXECUTE FUNCTION words_came();

CREATE FUNCTION words_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  WITH less AS MATERIALIZED (
    SELECT g.ns, l.term, count(*) AS documents FROM gone g CROSS JOIN LATERAL unnest(tsvector_to_array(g.body)) l(term)
    WHERE g.cold = 0 GROUP BY g.ns, l.term
  ), left_over AS (
    UPDATE word_counts k SET documents = k.documents - l.documents FROM less l
    WHERE k.ns = l.ns AND k.term = l.term AND k.documents > l.documents
  )
  DELETE FROM word_counts k USING less l WHERE k.ns = l.ns AND k.term = l.term AND k.documents <= l.documents;
  RETURN NULL;
END $$;
CREATE TRIGGER words_gone AFTER DELETE ON words REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION words_gone();

-- After the triggers, which wait for whoever is writing: what came while the words were counted would be in no count.
INSERT INTO word_counts (ns, term, documents)
SELECT w.ns, l.term, count(*) FROM words w CROSS JOIN LATERAL unnest(tsvector_to_array(w.body)) l(term)
WHERE w.cold = 0 GROUP BY w.ns, l.term;

-- Fails where the counts of the words are not what stands in the table.
CREATE OR REPLACE FUNCTION words_checked(space bigint, part bigint) RETURNS void LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM word_totals t WHERE t.ns = space AND t.cold = part AND (t.documents, t.tokens) IS DISTINCT FROM (
      SELECT (count(*), coalesce(sum(w.length), 0)::bigint) FROM words w WHERE w.ns = space AND w.cold = part)
  ) OR part = 0 AND EXISTS (
    SELECT 1 FROM (SELECT k.term, k.documents FROM word_counts k WHERE k.ns = space) k FULL JOIN (
      SELECT l.term, count(*) AS documents FROM words w CROSS JOIN LATERAL unnest(tsvector_to_array(w.body)) l(term)
      WHERE w.ns = space AND w.cold = 0 GROUP BY l.term
    ) f ON f.term = k.term COLLATE "C" WHERE k.documents IS DISTINCT FROM f.documents
  ) THEN
    RAISE EXCEPTION 'the counts of the words are wrong' USING ERRCODE = 'data_corrupted';
  END IF;
END
$$;

-- Edges go many in a statement, too: they are counted once for all of them.
DROP TRIGGER tally_edge_gone ON edges;
CREATE OR REPLACE FUNCTION tally_edge_gone() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  UPDATE tallies t SET count = t.count - g.edges
  FROM (SELECT ns, kind, count(*) AS edges FROM gone GROUP BY ns, kind) g
  WHERE t.ns = g.ns AND t.kind = 'edges' AND t.name = g.kind;
  DELETE FROM tallies t USING (SELECT DISTINCT ns FROM gone) g WHERE t.ns = g.ns AND t.kind = 'edges' AND t.count < 1;
  RETURN NULL;
END $$;
CREATE TRIGGER tally_edge_gone AFTER DELETE ON edges REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION tally_edge_gone();

SELECT guard_tables();

-- Tenants that were there before write words, too, and so their counts.
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT DISTINCT t.role FROM tenants t JOIN pg_roles r ON r.rolname = t.role LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON word_counts TO %I', one.role);
  END LOOP;
END
$$;
