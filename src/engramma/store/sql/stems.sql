-- The tokenizer of the words tables on its own, in a database in memory (lexical.py), so that a question's
-- words are stemmed exactly as the stored ones are. Statements in the order in which lexical.py takes them.

CREATE VIRTUAL TABLE text USING fts5(
  body, content='', tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE VIRTUAL TABLE tokens USING fts5vocab(text, 'instance');

INSERT INTO text (rowid, body) VALUES (:row, :body);

SELECT doc, term FROM tokens ORDER BY doc, offset;

INSERT INTO text (text) VALUES ('delete-all');
