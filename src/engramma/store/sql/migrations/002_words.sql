-- A full text table a namespace (words_<ns>), so that neither rows nor document counts cross the wall. Its name
-- depends on the namespace, so Store makes and fills it when the namespace is opened (store.py, ready_words) and
-- notes that in meta. Nothing here but to say that it is due, also where a store went back to schema 1 for a while.
DELETE FROM meta WHERE key GLOB 'words_form_*';
