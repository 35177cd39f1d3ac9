"""Similar notes of one time become one canonical note, made of their own sentences; they stay behind it as sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..language.sentences import WIDE_END
from ..language.text import same_facts
from .merge import Alike
from .plan import Canonical, Seen, StewardRules, StewardStep, Vetoes
from .score import DAY

CONSOLIDATE = 0.80  # least cosine between any two of a group
LEAST_SOURCES = 3
MOST_SOURCES = 20  # a canonical note has to stay one that is read at a glance


def consolidations(
    notes: Sequence[Seen], pairs: Alike, texts: Mapping[int, str], taken: set[int], rules: StewardRules, vetoes: Vetoes
) -> list[StewardStep]:
    """Groups in which every two are similar but not to be merged, within the window; the earliest first.

    Each begins with the oldest note that is still free and takes in, by time, what fits all it has.
    """
    barred = vetoes.names("consolidate")
    free = {
        at
        for at, note in enumerate(notes)
        if note.key not in taken and not note.held and note.expires_at is None and note.id not in barred
    }
    cosines = {
        (one, other): cosine
        for one, other, cosine in zip(pairs.one.tolist(), pairs.other.tolist(), pairs.cosines.tolist(), strict=True)
        if one in free and other in free and notes[one].speaker == notes[other].speaker
    }
    later: dict[int, list[int]] = {}
    for one, other in sorted(cosines):
        later.setdefault(one, []).append(other)
    window = int(rules.consolidate_days * DAY)
    found = []
    for seed in sorted(later):
        if seed not in free:
            continue
        group = [seed]
        size = len(texts[notes[seed].key].encode())
        for at in later[seed]:
            size_with = size + 1 + len(texts[notes[at].key].encode())
            in_time = notes[at].made_at - notes[seed].made_at <= window
            if len(group) == MOST_SOURCES or not in_time or at not in free or size_with > rules.longest_text:
                continue
            if all(_fits(cosines.get((member, at)), notes[member], notes[at], texts, rules) for member in group):
                group.append(at)
                size = size_with
        if len(group) >= LEAST_SOURCES:
            free.difference_update(group)
            between = [cosines[one, other] for n, one in enumerate(group) for other in group[n + 1 :]]
            found.append(step_of([notes[at] for at in group], between, texts, rules))
    return found


def _fits(cosine: float | None, one: Seen, other: Seen, texts: Mapping[int, str], rules: StewardRules) -> bool:
    """Similar, and not so much that one of the two says it all."""
    if cosine is None or cosine < CONSOLIDATE:
        return False
    return cosine < rules.merge_floor or not same_facts(texts[one.key], texts[other.key])


def step_of(
    sources: Sequence[Seen], cosines: Sequence[float], texts: Mapping[int, str], rules: StewardRules
) -> StewardStep:
    span = (sources[-1].made_at - sources[0].made_at) / DAY
    reason = (
        f"{len(sources)} notes within {span:.1f} days (at most {rules.consolidate_days:g}), "
        f"cosines {min(cosines):.4f} to {max(cosines):.4f} (from {CONSOLIDATE:g})"
    )
    recalled = [note.last_at for note in sources if note.last_at is not None]
    canonical = Canonical(
        text=join_sentences([texts[note.key] for note in sources]),
        tags=tuple(dict.fromkeys(tag for note in sources for tag in note.tags)),
        strength=max(note.strength for note in sources),
        said_at=sources[-1].made_at,
        hits=sum(note.hits for note in sources),
        last_at=max(recalled, default=None),
    )
    keys, ids = tuple(note.key for note in sources), tuple(note.id for note in sources)
    return StewardStep("consolidate", reason, keys, ids, tuple(sources), canonical, round(min(cosines), 4))


def join_sentences(texts: Sequence[str]) -> str:
    """The distinct sentences of some texts, verbatim and in order, a line a text."""
    told: set[str] = set()
    lines = []
    for text in texts:
        new = []
        for sentence in _sentences(text):
            plain = " ".join(sentence.casefold().split())
            if plain not in told:
                told.add(plain)
                new.append(sentence)
        if new:
            lines.append(" ".join(new))
    return "\n".join(lines)


def _sentences(text: str) -> list[str]:
    """A text's sentences, each as it stands; a line ends one, too."""
    return [part for part in WIDE_END.split(text.strip()) if part.strip()]
