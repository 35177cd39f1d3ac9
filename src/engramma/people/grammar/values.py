"""Values: which of the words after a verb are what it says, without determiner, time and afterthought."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engramma.people.claims.names import KIN
from engramma.people.grammar.auxiliaries import ADVERBS
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.verbs import BE, FORMS
from engramma.people.grammar.words import TextWords

LONGEST_NOUNS = 9  # words of a noun phrase
LONGEST_WHOLE = 22  # words of a value that is all that follows

SUBJECTS = wordset("i we you he she they it there")
DETERMINERS = wordset(
    "a an the my our your his her their its this that these those some any another other each every such both all"
    " own few several myself ourselves himself herself"
)
# Words that open another clause.
STOPPERS = wordset(
    "because but so when while which who whose whom where if although though unless until whenever whereas"
    " wherever cause cuz however therefore since - -- — – ; : ( ) [ ] { } | * • …"
)
PREPOSITIONS = wordset(
    "in at on from with by during after before to as into around near through than like over under without within"
    " outside inside across along against behind beside between beyond despite until onto towards toward via among"
    " throughout past up out off down back away then"
)
_TRAILING = ADVERBS | wordset(
    "too also lately recently now again together yet anymore though well as-well today tonight tomorrow yesterday"
    " for of and or with in on at to the a an my by from about that this there here please right huh etc ago"
    " before but because when if so like"
)
_IN_TITLES = wordset("of in the and to a an for on at with from by")
FINITE = BE - {"be", "been", "being"} | {"has", "had", "will", "would", "could", "'ll", "'ve", "n't"}
_LASTING = wordset(
    "a an the my me you us one two three four five six seven eight nine ten twenty several few many years months weeks"
)
EMPTY = wordset(
    "it that this them something anything everything nothing one ones you me him her us myself yourself someone"
    " anyone everyone thing things stuff lot lots much many more most so what how there here some any all same way"
    " time bit kind sort couple first last these those few ton tons bunch loads plenty while place places weeks sure"
    " afterward afterwards farther further due"
)


def clause_end(words: TextWords, i: int, last: int) -> int:
    """Where what follows a verb ends: before another clause, an aside, or a comma that begins no list."""
    low, first = words.low, i
    while i < last:
        word = low[i]
        if word in STOPPERS and i > first and not (word == "since" and _is_number(words, i + 1)):
            return i
        if word in STOPPERS and i == first and word in "-–—;:()[]":
            return i
        if word == "that" and i > first and i + 1 < last and (low[i + 1] in SUBJECTS or low[i + 1] in BE):
            return i
        if word in SUBJECTS and word not in ("you", "it") and i + 1 < last:
            return _back(words, i, first)
        if word in ("you", "it") and i > first and i + 1 < last and _is_finite(words, i + 1):
            return _back(words, i, first)
        if word == "," and not _lists_on(words, i, last):
            return i
        if word in ("and", "or", "&", "then", "plus") and _opens_clause(words, i + 1, last):
            return i - 1 if i > first and low[i - 1] == "," else i
        i += 1
    return last


def _back(words: TextWords, i: int, first: int) -> int:
    """Before a subject: also without a conjunction or "that" in front of it."""
    while i - 1 > first and words.low[i - 1] in ("and", "that", ",", "as", "after", "before", "than", "how", "what"):
        i -= 1
    return i


def _is_number(words: TextWords, i: int) -> bool:
    return i < len(words.low) and (words.low[i][:1].isdigit() or words.as_is[i][:1].isupper() or words.low[i] == "last")


def _is_finite(words: TextWords, i: int) -> bool:
    word = words.low[i]
    if word in BE or word in ("'s", "'ve", "'ll", "'d", "do", "did", "have", "had", "has", "will", "can", "could"):
        return True
    if word in ("might", "may", "should", "would", "must", "shall"):
        return True
    form = FORMS.get(word)
    return form is not None and bool(form.kinds & {"base", "past", "s"})


def _opens_clause(words: TextWords, i: int, last: int) -> bool:
    """Whether a conjunction is followed by a clause of its own or another verb, and not by one more noun."""
    low = words.low
    if low[i : i + 1] and low[i] in ("have", "has", "had") and low[i + 1 : i + 2] and low[i + 1] in DETERMINERS:
        return True
    while i < last and (low[i] in ADVERBS or low[i] in ("then", "n't", "not", "have", "had", "has", "been")):
        i += 1
    if i >= last:
        return True
    if low[i] in SUBJECTS or low[i] in STOPPERS or low[i] in ("that", "what", "how", "let", "thanks", "to"):
        return True
    if low[i] in BE or low[i] in ("will", "can", "could", "would", "did", "does", "do", "gonna", "wanna"):
        return True
    if _is_somebody_doing(words, i, last):
        return True
    for k in range(i, min(i + 7, last)):
        if low[k] in ",-–—":
            break
        if low[k] in FINITE or (low[k] in FORMS and FORMS[low[k]].kinds == {"past"}):
            return True
    form = FORMS.get(low[i])
    if form is None:
        return low[i].endswith("ed") and len(low[i]) > 4
    if form.kinds <= {"past", "part"} or form.kinds == {"s"}:
        return True
    return i + 1 < last and (low[i + 1] in DETERMINERS or low[i + 1] in ("to", "on", "with")) and "base" in form.kinds


def _is_somebody_doing(words: TextWords, i: int, last: int) -> bool:
    """Whether a relative with a verb stands here: "my mum still works", "her brother plays the drums"."""
    low = words.low
    if low[i] not in ("my", "our", "your", "his", "her", "their"):
        return False
    at = next((k for k in range(i + 1, min(i + 4, last)) if low[k] in KIN), last)
    at += 1
    while at < last and (low[at] in ADVERBS or words.as_is[at][:1].isupper()):
        at += 1
    form = FORMS.get(low[at]) if at < last else None
    return form is not None and bool(form.kinds & {"s", "base", "past"})


def _lists_on(words: TextWords, comma: int, last: int) -> bool:
    """Whether a comma stands in a list: one to five words without a verb, then a comma, "and" or "or"."""
    low = words.low
    for i in range(comma + 1, min(comma + 8, last)):
        word = low[i]
        if word in SUBJECTS or word in STOPPERS or word in BE or word in ("that", "thanks"):
            return False
        form = FORMS.get(word)
        if form is not None and form.kinds <= {"past", "part"} and i == comma + 1:
            return False
        if word in (",", "and", "or", "&") and i > comma:
            if i == comma + 1:
                return not _opens_clause(words, i + 1, last)
            return word != "," or _lists_on(words, i, last)
    return False


def skip_determiners(words: TextWords, i: int, last: int) -> int:
    """The first word that is no determiner and no adverb before one."""
    low = words.low
    while i < last and (low[i] in DETERMINERS or low[i] in ("of", "just", "really", "also", "such")):
        if low[i] in ("that", "this", "all", "some", "any", "own", "other") and i + 1 >= last:
            break
        i += 1
    return i


def nouns_end(words: TextWords, i: int, last: int, cuts: Collection[int] = ()) -> int:
    """Where the noun phrase ends that begins at a word: before a preposition, a time or a clause about it."""
    low, first = words.low, i
    while i < last and i - first < LONGEST_NOUNS:
        word = low[i]
        if i > first and (word in PREPOSITIONS or i in cuts):
            break
        if i > first and word in ("that", "this", "ago", "last", "yesterday", "next", "every", "not", "each", "here"):
            break
        if i > first and word == "for" and i + 1 < last and (low[i + 1] in _LASTING or _is_number(words, i + 1)):
            break
        if i > first and word == "for" and words.as_is[i - 1][:1].isupper():
            break
        if i > first and word in BE | {"'ve", "'ll", "have", "has", "had", "was", "is"}:
            break
        i += 1
    while i > first and (low[i - 1] in _TRAILING or not (words.as_is[i - 1][:1].isalnum() or low[i - 1][:1] == "#")):
        if low[i - 1] == "'s" and i - 1 > first and words.as_is[i - 2][:1].isupper():
            break  # "St. Mary's"
        i -= 1
    return i


def whole_end(words: TextWords, i: int, last: int, cuts: Collection[int] = ()) -> int:
    """Where a value ends that is all that follows: before a time at its end."""
    low, first = words.low, i
    end = min(last, i + LONGEST_WHOLE)
    for cut in sorted(cuts):
        if first < cut < end and end - cut <= 5:
            end = cut
            break
    while end > first and (low[end - 1] in _TRAILING or words.as_is[end - 1] in ",.-–—"):
        end -= 1
    return end


def title_end(words: TextWords, i: int, last: int) -> int:
    """Where a title ends that begins at a word, in quotation marks or in capitals with "The" or "A"; else the word."""
    if i < last and words.as_is[i] in '"“':
        closing = next((k for k in range(i + 1, last) if words.as_is[k] in '"”'), i)
        return closing if closing - i > 1 else i
    if i + 1 >= last or words.as_is[i] not in ("A", "The", "An") or not words.as_is[i + 1][:1].isupper():
        return i
    end = i + 2
    while end < last and (words.as_is[end][:1].isupper() or (words.low[end] in _IN_TITLES and end + 1 < last)):
        end += 1
    while end > i and not words.as_is[end - 1][:1].isupper():
        end -= 1
    return end


def split_list(words: TextWords, first: int, last: int, one: bool = False) -> Iterator[tuple[int, int]]:
    """The parts of "tea, coffee and cake", each without its determiner; one part if it is no plain list."""
    low, parts, begin = words.low, [], first
    for i in range(first, last + 1):
        if i == last or low[i] in (",", "and", "or", "&"):
            if i > begin:
                parts.append((skip_determiners(words, begin, i), i))
            begin = i + 1
    joined = one and all(low[i + 1] not in DETERMINERS for i in range(first, last - 1) if low[i] in ("and", "or"))
    if len(parts) > 1 and not joined and all(0 < end - start <= 5 for start, end in parts):
        yield from parts
    elif last > first:
        yield first, last
