-- What came from one source is asked for by recall: no scan of every conversation for it.
CREATE INDEX conversations_by_source ON conversations (ns, source) WHERE source IS NOT NULL;
