-- Words as BM25 counts them, and what any SQL client may call.

-- A phrase of tokens (letters, digits and marks alone, parted by a space) as a query.
CREATE FUNCTION word_query(phrase text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('''' || replace(phrase, ' ', ''' <-> ''') || '''')::tsquery
$$;

-- How often a phrase of several tokens stands in a text.
CREATE FUNCTION phrase_times(body tsvector, tokens text[]) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT count(*)::double precision FROM unnest(body) f CROSS JOIN unnest(f.positions) p(place)
  WHERE f.lexeme = tokens[1] AND NOT EXISTS (
    SELECT 1 FROM generate_subscripts(tokens, 1) i WHERE i > 1 AND NOT EXISTS (
      SELECT 1 FROM unnest(body) g WHERE g.lexeme = tokens[i] AND p.place + i - 1 = ANY(g.positions)))
$$;

-- How often a phrase stands in a text that has it. Of one token, ts_rank tells without unpacking the text: it sums 1/i² over
-- its places i and divides by pi²/6, and what is missing to pi²/6 after n places is about 1/(n + 1/2).
CREATE FUNCTION word_times(body tsvector, phrase text) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN strpos(phrase, ' ') > 0 THEN phrase_times(body, string_to_array(phrase, ' '))
    ELSE round(1.0::float8 / (1.6449340668482264::float8
      - 1.64493406685::float8 * ts_rank('{1,1,1,1}'::real[], body, word_query(phrase))::float8) - 0.5::float8) END
$$;

-- FTS5's inverse document frequency.
CREATE FUNCTION word_weight(documents bigint, found bigint) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN documents > 2 * found
    THEN ln((documents - found + 0.5::float8) / (found + 0.5::float8)) ELSE 0.000001::float8 END
$$;

-- Fails where the counts of the words are not what stands in the table.
CREATE FUNCTION words_checked(space bigint, part bigint) RETURNS void LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM word_totals t WHERE t.ns = space AND t.cold = part AND (t.documents, t.tokens) IS DISTINCT FROM (
      SELECT (count(*), coalesce(sum(w.length), 0)::bigint) FROM words w WHERE w.ns = space AND w.cold = part)
  ) THEN
    RAISE EXCEPTION 'the counts of the words are wrong' USING ERRCODE = 'data_corrupted';
  END IF;
END
$$;

-- With btree_gin the index is asked for one namespace; without it, for all of them, and the others' rows are left out after.
DO $$
BEGIN
  CREATE INDEX words_of_body ON words USING gin (ns, cold, body);
EXCEPTION WHEN undefined_object THEN
  CREATE INDEX words_of_body ON words USING gin (body);
END
$$;
