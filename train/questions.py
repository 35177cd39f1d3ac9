"""Questions about first-person clauses, in the first person; person.py turns them to a name."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from . import verbs
from .clauses import PEOPLE, Chunk, Clause, head
from .wordlists import word_set
from .wordnet import WordNet

Question = tuple[str, str]  # its kind, and the words

LIKES = word_set("love like enjoy prefer adore hate dislike appreciate")
WISHES = word_set("think mean wonder guess look try aim need know hope want consider plan wish")
PLANS = word_set("plan think consider hope want try look")
EMPTY_VERBS = word_set("be have do get know think need want mean wonder guess hope try look say tell feel see")
PLACES = word_set("in at from to near into on around")
SIDE_CLAUSES = word_set("because so that which who if when while but where")
TOPICS = frozenset(("", "about", "with", "at", "in", "for"))
NOT_A_TOPIC = word_set(
    "i i'll i'm i've it you he she they we them that this might some any recommendations advice tips how a lot back how"
)
NUMBER = re.compile(r"^(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|several)$", re.I)
GENERAL = word_set(
    "entity object thing matter whole unit abstraction act activity artifact instrumentality group event"
)


def asked(clause: Clause, wordnet: WordNet, rng: random.Random) -> list[Question]:
    """All questions that the rules can form about the clause."""
    if clause.verb in WISHES:
        return [(kind, _tidy(text)) for kind, text in (*_plans(clause), *_saying(clause, rng)) if _usable(text)]
    made = [*_when(clause), *_things(clause, wordnet), *_circumstances(clause), *_counts(clause, wordnet)]
    made += [*_yes_no(clause), *_saying(clause, rng), *_plans(clause), *_likes(clause, wordnet, rng)]
    return [(kind, _tidy(text)) for kind, text in made if _usable(text)]


def statement_of(sentence: str) -> list[Question]:
    """Questions about "my X is Y": what, who, which."""
    made: list[Question] = []
    for match in re.finditer(r"\b[Mm]y ((?:[a-z'-]+ ){0,3}?[a-z'-]+) (is|was|are|were) (?!not\b)(\w+)", sentence):
        owned, verb = match[1], match[2]
        if owned.split()[-1] in PEOPLE:
            made += [("forms", f"Who {verb} my {owned}?"), ("forms", f"What did I say about my {owned}?")]
        else:
            made += [("forms", f"What {verb} my {owned}?"), ("forms", f"What did I mention about my {owned}?")]
    for match in re.finditer(r"\b[Mm]y ((?:favou?rite) (?:[a-z'-]+ ){0,2}?[a-z'-]+)", sentence):
        made.append(("preference", f"What is my {match[1]}?"))
        made.append(("preference", f"Which {match[1].split(' ', 1)[1]} do I like most?"))
    return made


def core(clause: Clause, extra: str = "") -> str:
    """Helper, subject and verb: "did I buy", "have I been learning"."""
    verb = clause.verb
    forms = {
        "past": f"did I {verb}",
        "present": f"do I {verb}",
        "future": f"will I {verb}",
        "perfect": f"have I {extra}{verbs.participle(verb)}",
        "progressive": f"am I {verbs.gerund(verb)}",
        "was": f"was I {verbs.gerund(verb)}",
        "perfect progressive": f"have I been {verbs.gerund(verb)}",
    }
    return forms[clause.tense]


def _rest(clause: Clause, skip: Chunk | None = None, limit: int = 2, with_object: bool = True) -> str:
    """Object and the first circumstances, less one, less times and side clauses."""
    chunks = [c for c in clause.chunks if c is not skip and not c.is_time and (with_object or c is not clause.object)]
    kept = [c for c in chunks if c.mark not in SIDE_CLAUSES]
    return " ".join(c.text for c in kept[:limit]).replace("to do ", "to ")


def _when(clause: Clause) -> Iterator[Question]:
    rest = _rest(clause)
    if not rest or clause.tense not in ("past", "perfect", "future", "progressive"):
        return
    past = Clause("past", clause.verb, clause.chunks) if clause.tense == "perfect" else clause
    yield "temporal", f"When {core(past)} {rest}?"
    if any(c.is_time for c in clause.chunks):
        yield "temporal", f"When {core(past)} {_rest(clause, limit=1)}?"
        if clause.tense == "past":
            yield "temporal", f"How long ago did I {clause.verb} {_rest(clause, limit=1)}?"
    for chunk in clause.chunks:
        if chunk.mark in ("for", "since") and chunk.is_time:
            yield "temporal", f"How long {core(clause)} {rest}?"
        if chunk.is_time and not chunk.mark and clause.tense == "past" and clause.object:
            yield "temporal", f"What did I {clause.verb} {chunk.text}?"


def _things(clause: Clause, wordnet: WordNet) -> Iterator[Question]:
    thing = clause.object
    if thing is None:
        return
    around = _rest(clause, with_object=False)
    if around or clause.verb not in EMPTY_VERBS:
        yield "forms", f"What {core(clause)} {around}?"
    noun = head(thing, wordnet)
    if noun is None:
        return
    yield "forms", f"What {'kind' if len(noun) % 2 else 'type'} of {noun} {core(clause)} {around}?"
    yield "forms", f"Which {noun} {core(clause)} {around}?"
    lemma = wordnet.lemma(noun, "noun") or noun
    for above in wordnet.hypernyms(lemma, 1):
        if above.split()[-1] not in GENERAL and len(above.split()) < 3:
            yield "inference", f"What {above} {core(clause)} {around}?"


def _circumstances(clause: Clause) -> Iterator[Question]:
    for chunk in clause.chunks:
        low = [word.lower().strip(",") for word in chunk.words]
        if not chunk.words or chunk.is_time:
            continue
        rest = _rest(clause, skip=chunk)
        if chunk.mark in ("with", "from", "to", "for") and any(word in PEOPLE for word in low):
            yield "forms", f"Who {core(clause)} {rest} {chunk.mark}?"
        elif chunk.mark in PLACES and (low[0] in ("the", "a", "my", "this", "our") or chunk.words[0][:1].isupper()):
            yield "forms", f"Where {core(clause)} {rest}?"
            if clause.verb not in EMPTY_VERBS and clause.tense == "past":
                yield "forms", f"What did I do {chunk.text}?"
        elif chunk.mark in ("because", "to do", "so"):
            yield "forms", f"Why {core(clause)} {rest}?"
            yield "forms", f"What was the reason I {verbs.past(clause.verb)} {rest}?"
        elif chunk.mark == "by" and low[0].endswith("ing"):
            yield "forms", f"How {core(clause)} {rest}?"
        elif chunk.mark == "about":
            yield "forms", f"What {core(clause)} {rest} about?"


def _counts(clause: Clause, wordnet: WordNet) -> Iterator[Question]:
    for chunk in clause.chunks:
        words = chunk.words
        for place, word in enumerate(words[:-1]):
            after = words[place + 1].strip(",").lower()
            if word.startswith("$"):
                yield "forms", f"How much {core(clause)} {_rest(clause, skip=chunk)} {chunk.mark}?"
            elif NUMBER.match(word) and wordnet.lemma(after, "noun"):
                rest = _rest(clause, skip=chunk)
                if after.rstrip("s") in ("hour", "day", "week", "month", "year", "minute"):
                    yield "temporal", f"How long {core(clause)} {rest}?"
                else:
                    yield "forms", f"How many {' '.join(words[place + 1 : place + 3])} {core(clause)} {rest}?"


def _yes_no(clause: Clause) -> Iterator[Question]:
    rest = _rest(clause)
    if not rest:
        return
    yield "forms", f"{core(clause)} {rest}?"
    if clause.tense in ("past", "perfect"):
        yield "forms", f"Have I ever {verbs.participle(clause.verb)} {rest}?"


def _saying(clause: Clause, rng: random.Random) -> Iterator[Question]:
    topics = [c for c in clause.chunks if c.mark in TOPICS and not c.is_time and c.words]
    for chunk in topics[:2]:
        if 1 <= len(chunk.words) <= 5 and not NOT_A_TOPIC & {word.lower() for word in chunk.words}:
            way = rng.choice(("say about", "mention about", "share about", "tell about", "think of", "think about"))
            yield "forms", f"What did I {way} {' '.join(chunk.words)}?"


def _plans(clause: Clause) -> Iterator[Question]:
    if clause.verb not in PLANS or not clause.chunks:
        return
    first = clause.chunks[0]
    if first.mark == "to do" and first.words:
        verb, rest = first.words[0], " ".join(c.text for c in clause.chunks[1:3] if not c.is_time)
        yield "forms", f"What am I planning to {verb} {rest}?"
        about = " ".join(first.words[1:])
        yield "forms", f"What are my plans for {about}?" if about else "What are my plans?"
        yield "temporal", f"When am I planning to {' '.join(first.words)}?"
    elif first.mark in ("of", "about", "for", "on") and first.words:
        yield "inference", f"What might I be interested in regarding {' '.join(first.words[-2:])}?"


def _likes(clause: Clause, wordnet: WordNet, rng: random.Random) -> Iterator[Question]:
    thing = clause.object
    if clause.verb not in LIKES or thing is None:
        return
    noun = head(thing, wordnet)
    around = _rest(clause, with_object=False)
    if around:
        yield "preference", f"What do I {rng.choice(('like', 'enjoy', 'love'))} {around}?"
    else:
        yield "preference", "What do I enjoy doing?"
    if noun is None:
        return
    yield "preference", f"Which {noun} do I {rng.choice(('like', 'prefer', 'enjoy'))}?"
    yield "preference", f"Do I like {' '.join(thing.words[-3:])}?"
    lemma = wordnet.lemma(noun, "noun") or noun
    for above in (*wordnet.hypernyms(lemma, 1), *wordnet.hypernyms(lemma, 2)):
        if above.split()[-1] not in GENERAL:
            yield "inference", f"Would I {rng.choice(('enjoy', 'be interested in', 'like'))} {above}?"
            yield "inference", f"What {above} do I like?"


def _usable(text: str) -> bool:
    words = text.split()
    if words[-1].lower() in ("a?", "the?", "my?", "an?", "and?", "new?", "some?", "how?"):
        return False
    return 4 <= len(words) <= 22 and not re.search(r"[\"()\[\]*#]|https?:", text)


def _tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).replace(" ?", "?").replace(",?", "?")
    return text[0].upper() + text[1:]
