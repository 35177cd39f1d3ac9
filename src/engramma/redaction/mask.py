"""Redaction itself: find, join what overlaps, mask, and look again until nothing is found."""

from __future__ import annotations

import hashlib
import hmac
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from ..patterns import late
from .catalog import load_rules
from .judge import entropy
from .private_marks import private_spans
from .rule import Redacted, Redaction, Rule, RuleLookup, RuleSet, Span

Find = tuple[int, int, Rule]
MASK = re.compile(r"\[redacted:[a-z0-9][a-z0-9-]{0,63}\]")
PRIVATE = "private"
FINGERPRINT = 16  # hex digits: 64 bits, enough to tell secrets apart, too few to be one
# A mask changes what stands beside its neighbours, so that something may be found only now: hence another look.
# Two are the rule. Only contrived text needs more; from PATIENCE on, finds grow to whole words so that it ends.
PATIENCE = 6
# What a machine draws is this long at least and has a digit. Most talk has no such run, so most rules cost it nothing.
RUN = 14
LETTERS = 22  # so long a run counts without a digit, too: some services draw letters only
DIGIT_IN_RUN = re.compile(r"\d")
FOUR_DIGITS = re.compile(r"\d(?:[ -]?\d){3}")
# What nobody sees between letters, and marks of HTML that only change how letters look.
_UNSEEN = late(r"[\u00ad\u200b-\u200d\u2060\ufeff]|</?(?:b|i|u|em|strong|code|span|font|mark)(?:\s[^<>]{0,80})?>")
_WIDE_LETTER = late("[\uff21-\uff3a\uff41-\uff5a]")
_PLAIN = {0xFF01 + place: 0x21 + place for place in range(94)} | {0x3000: 0x20}
# A match so long that was no secret is not searched again from within: keeps hostile text linear.
LONG = 64


def redact(text: str, *, rules: RuleSet | None = None, pii: bool = False, key: bytes = b"") -> Redacted:
    """Mask the secrets in a text. Without a key there are no fingerprints; PII rules are asked for.

    >>> redact("my password is hunter2").text
    'my password is [redacted:password]'
    """
    chosen = rules if rules is not None else load_rules(pii)
    found = [Redaction(PRIVATE, start, end) for start, end in private_spans(text)] if "<" in text else []
    masked = _masked(text, found)
    rounds = 0
    if not found and not _finds(text, chosen, grow=False):
        return Redacted(text)  # as nearly all talk
    while finds := _finds(masked, chosen, grow=rounds >= PATIENCE):
        rounds += 1
        found = _moved(found, finds)
        masked = _masked(text, found)
    return Redacted(masked, tuple(replace(one, fingerprint=_fingerprint(text, one, key)) for one in found))


def _finds(text: str, rules: RuleSet, grow: bool) -> list[Redaction]:
    """What the rules find in a text, joined where it overlaps, apart from the masks that are already there."""
    finds = [*_matches(text, rules), *_matches_unmarked(text, rules)]
    if not finds:
        return []
    masks = [mask.span() for mask in MASK.finditer(text)]
    apart = [find for find in finds if not _touches(find, masks)]
    return _union([_word(text, find) for find in apart] if grow else apart)


def _matches(text: str, rules: RuleSet) -> list[Find]:
    """Every find of every rule whose keyword is there."""
    lower = text.lower() if text.isascii() else _lower(text)
    finds = _search(text, lower, rules.any_text)
    words = lower.split()
    if len(max(words, key=len, default="")) >= RUN and any(map(_run, words)):
        finds += _search(text, lower, rules.with_run)
    return finds


def _matches_unmarked(text: str, rules: RuleSet) -> Iterator[Find]:
    """What is found besides once the text stands as it is seen: without invisible characters and marks of bold, and
    with wide letters as plain ones."""
    if text.isascii() and "</" not in text:
        return
    unseen = [found.span() for found in _UNSEEN.finditer(text)]
    if not unseen and not _WIDE_LETTER.search(text):
        return
    ends = [0, *(end for _, end in unseen)]
    kept = list(zip(ends, [*(start for start, _ in unseen), len(text)], strict=True))
    places = [place for start, end in kept for place in range(start, end)]
    for start, end, rule in _matches("".join(text[start:end] for start, end in kept).translate(_PLAIN), rules):
        yield places[start], places[end - 1] + 1, rule


def _run(word: str) -> bool:
    return len(word) >= RUN and (len(word) >= LETTERS or DIGIT_IN_RUN.search(word) is not None)


def _search(text: str, lower: str, rules: RuleLookup) -> list[Find]:
    passed = (rules.ascii_gate if lower.isascii() else rules.gate).search(lower)
    if not passed and not rules.always:
        return []
    finds: list[Find] = []
    over: dict[Rule, None] = dict.fromkeys(rules.always)  # to be searched for in the whole text, once
    for stem, words in rules.at if passed else ():
        for keyword, own in words if stem in lower else ():
            if keyword in lower:
                for rule in own:
                    if rule.in_digits and not FOUR_DIGITS.search(text):
                        continue
                    if rule.anywhere:
                        over[rule] = None
                    else:
                        finds += _at(text, lower, keyword, rule)
    for rule in over:
        finds += ((*span, rule) for match in rule.pattern.finditer(text) if (span := _secret(rule, match)))
    return finds


def _at(text: str, lower: str, keyword: str, rule: Rule) -> Iterator[Find]:
    """The finds of a rule that is tried where a keyword stands."""
    at = lower.find(keyword)
    while at >= 0:
        after = at + len(keyword)
        if match := rule.pattern.match(text, at):
            if span := _secret(rule, match):
                yield *span, rule
                after = max(after, span[1])
            elif match.end() - at >= LONG:
                after = max(after, match.end())
        at = lower.find(keyword, after)


def _secret(rule: Rule, match: re.Match[str]) -> Span | None:
    """The secret in a match, if the rule's further conditions hold."""
    span: Span | None = rule.cut(match) if rule.cut else match.span(rule.group)
    if span is None or span[0] >= span[1]:
        return None
    value = match.string[span[0] : span[1]]
    if (rule.check and not rule.check(value)) or (rule.entropy and entropy(value) < rule.entropy):
        return None
    return span


def _lower(text: str) -> str:
    """Lower case, character for character."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _touches(find: Find, masks: list[Span]) -> bool:
    before = bisect_left(masks, (find[1], 0))  # the last mask that begins before the find ends
    return before > 0 and masks[before - 1][1] > find[0]


def _union(finds: list[Find]) -> list[Redaction]:
    """Overlapping finds become one that covers them all: nothing of a secret may stay. The most specific names it."""
    joined: list[Redaction] = []
    best: tuple[int, int] = (0, 0)
    for start, end, rule in sorted(finds, key=lambda find: find[:2]):
        worth = (rule.rank, end - start)
        if joined and start < joined[-1].end:
            last = joined[-1]
            name = rule.id if worth > best else last.rule
            joined[-1] = Redaction(name, last.start, max(last.end, end))
            best = max(best, worth)
        else:
            joined.append(Redaction(rule.id, start, end))
            best = worth
    return joined


def _word(text: str, find: Find) -> Find:
    """The find with everything up to the next white space or mask on both sides."""
    start, end, rule = find
    while start and not text[start - 1].isspace() and text[start - 1] != "]":
        start -= 1
    while end < len(text) and not text[end].isspace() and text[end] != "[":
        end += 1
    return start, end, rule


def _moved(before: list[Redaction], new: list[Redaction]) -> list[Redaction]:
    """Finds in the masked text, moved to where they are in the original, among those from before."""
    moved: list[Redaction] = []
    shift = done = 0
    for find in new:
        while done < len(before) and before[done].start + shift < find.start:
            shift += len(_mask(before[done].rule)) - before[done].length
            done += 1
        moved.append(Redaction(find.rule, find.start - shift, find.end - shift))
    return sorted([*before, *moved], key=lambda one: one.start)


def _mask(rule: str) -> str:
    return f"[redacted:{rule}]"


def _masked(text: str, found: list[Redaction]) -> str:
    if not found:
        return text
    parts: list[str] = []
    at = 0
    for one in found:
        parts += [text[at : one.start], _mask(one.rule)]
        at = one.end
    return "".join([*parts, text[at:]])


def _fingerprint(text: str, one: Redaction, key: bytes) -> str:
    """A keyed hash of the secret: the same secret is recognised, and nobody without the key can try guesses."""
    if not key:
        return ""
    secret = text[one.start : one.end].encode("utf-8", "surrogatepass")
    return hmac.new(key, secret, hashlib.sha256).hexdigest()[:FINGERPRINT]
