"""The grammar behind extraction: words, verbs, subjects, values and times of a clause."""
