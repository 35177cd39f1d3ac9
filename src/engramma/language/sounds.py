"""Words by their sound, across scripts: Лютер, लूथर and لوثر are Luther.

A word in Cyrillic, Greek, Arabic, Hebrew or Devanagari letters is written in sounds, and so is a word in Latin letters.
A small letter is a sound that both write alike; a capital one is written in several ways, or left out. Two words may
be one if they have the same frame, the classes of their consonants in order, and are like each other then.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

LONGEST = 40  # letters of a word that is looked at
MOST_FRAMES = 16  # ways to read the consonants of a word
VOWELS = frozenset("aeiou")


def _table(letters: str, sounds: str) -> dict[str, str]:
    return {letter: sound.replace("-", "") for letter, sound in zip(letters, sounds.split(), strict=True)}


_CYRILLIC = _table(
    "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњћђџ",
    "a b v G d e Z z i i k l m n o p r s t u f H S C S S - i - e u a e i i e g W Y l n C J J",
)
_GREEK = _table("αβγδεζηθικλμνξοπρσςτυφχψω", "a v G d e z i t i k l m n ks o p r s s t i f H ps o")
_ARABIC = _table(
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءآأإؤئپچژگکیٹڈڑںہھے",
    "a b t t J h H d d r z s S s d t z a G f k k l m n h W i a a a a a a a i p C Z g k i t d r n h h e",
)
_HEBREW = _table("אבגדהוזחטיכךלמםנןסעפףצץקרשת", "a B g d h W z H t i k k l m m n n s a F F S S k r S t")
_DEVANAGARI = _table(
    "अआइईउऊऋएऐओऔऑऍकखगघङचछजझञटठडढणतथदधनपफबभमयरलळवशषसहािीुूृेैोौॉॅंँः़्",
    "a a i i u u r e e o o o e k k g g n C C J J n t t d d n t t d d n p f b b m Y r l l W S S s h a i i u u r e e o o"
    " o e n n - - -",
)
_DIGRAPHS = {
    "greek": (("ου", "u"), ("τζ", "J"), ("τσ", "C"), ("αυ", "av"), ("ευ", "ev")),
    "latin": (
        *(("sch", "S"), ("tch", "C"), ("sh", "S"), ("ch", "C"), ("ph", "f"), ("th", "t"), ("gh", "G"), ("kh", "k")),
        *(("ck", "k"), ("wh", "W"), ("qu", "kW"), ("ts", "S"), ("tz", "S"), ("dg", "J"), ("x", "ks"), ("q", "k")),
        *(("w", "W"), ("j", "J"), ("ß", "s")),
    ),
}
# Before a vowel Greek writes b, d and g with two letters, which may also be what they look like.
_GREEK_STOPS = (("μπ", "b"), ("ντ", "d"), ("γκ", "g"), ("γγ", "g"))
_ARTICLE = re.compile("^(?:[وف]?[بك]?ال|[وف]?لل|[وفبلك])(?=..)")
_SCRIPTS = {
    "cyrillic": (re.compile("[\u0400-\u052f]+"), _CYRILLIC),
    "greek": (re.compile("[\u0370-\u03ff\u1f00-\u1fff]+"), _GREEK),
    "arabic": (re.compile("[\u0620-\u065f\u066e-\u06d3]+"), _ARABIC),
    "hebrew": (re.compile("[\u0591-\u05ea]+"), _HEBREW),
    "devanagari": (re.compile("[\u0900-\u0963\u0971-\u097f]+"), _DEVANAGARI),
}
SOUNDED = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0591-\u05ea\u0620-\u065f\u066e-\u06d3\u0900-\u0963\u0971-\u097f\u1f00-\u1fff]+"
)
_CONSONANT_SIGN = re.compile(
    "[\u0915-\u0939]\u093c?(?![\u093e-\u094d\u093c])"
)  # sounds with an a unless told otherwise

# The classes of consonants that a sound may be heard as; "" where it may be left out.
_CLASSES = {
    **dict(zip("bpfvtdkgszmnlr", "ppffttkkssnnlr", strict=True)),
    **{"G": ("k", ""), "H": ("k", ""), "J": ("s", "k"), "C": ("s", "k"), "Z": ("s",), "S": ("s",)},
    **{"W": ("f", ""), "Y": ("",), "B": ("p", "f"), "F": ("f", "p"), "h": ("",)},
}
# How English writes a sound at the beginning of a word, or behind its first vowel.
_SPELLED = {
    **{"k": "k c q ch", "G": "g h gh", "H": "h k c ch j", "Z": "j g z s", "J": "j g dj", "C": "ch c tch cz t"},
    **{"S": "sh s c ch sch ts tz z", "z": "z s", "s": "s c z", "f": "f ph v", "v": "v w", "B": "b v", "F": "f p"},
    **{"W": "w v", "Y": "y j i", "h": "h", "t": "t th", "p": "p"},
}
_SPELLED_VOWELS = {
    "a": "a e o u ai ay au ah ea oa ha he ho hu",
    "e": "e a i ea ei ae ey ay ai ie ee eu he ha hi",
    "i": "i e y ie ee ea ei ai ye ia ji hi he je",
    "o": "o a u oh au aw oa ou ow oo ho ha we wo",
    "u": "u oo ou o ew eu ue ui iu yu w wa wo hu ho",
}
_HEAD = re.compile("([^aeiou]?)([aeiou]*)([^aeiou]?)([^aeiou]?)")
_HEAD_WITH_GLIDES = re.compile("([^aeiou]?)([aeiouWYh]*)([^aeiouWYh]?)([^aeiou]?)")
_ANY_VOWEL = frozenset(
    ("", *"aeiouy", "ai", "au", "ea", "ee", "ei", "ie", "io", "oo", "ou", "ha", "he", "hi", "ho", "hu")
)
_LETTERS_OF = {"p": "pb", "f": "fvwpgu", "t": "td", "k": "kcqgxjh", "s": "szcxtjg", "n": "nm", "l": "l", "r": "r"}


def sound_forms(word: str) -> tuple[str, ...]:
    """A word in another script as sounds, in the ways it can be read; nothing for other letters."""
    plain = _without_marks(word[:LONGEST])
    for script, (letters, table) in _SCRIPTS.items():
        if letters.fullmatch(plain):
            return tuple(
                dict.fromkeys("".join(table.get(sign, sign) for sign in form) for form in _spellings(plain, script))
            )
    return ()


def _spellings(word: str, script: str) -> list[str]:
    """A word with its digraphs as sounds; with and without what is written together with it."""
    if script == "cyrillic":
        return [word.replace("дж", "J")]
    if script == "greek":
        for pair, sound in _DIGRAPHS["greek"]:
            word = word.replace(pair, sound)
        stops = word
        for pair, sound in _GREEK_STOPS:
            stops = stops.replace(pair, sound)
        return [stops, word]
    if script == "arabic":
        return [word, _ARTICLE.sub("", word)]
    if script == "devanagari":
        return [_CONSONANT_SIGN.sub(r"\g<0>a", word)]
    return [word]


@lru_cache(maxsize=32_768)
def latin_sounds(word: str) -> str:
    """A word in Latin letters as sounds; "" for one with anything else in it."""
    plain = _without_marks(word[:LONGEST])
    if not (plain.isascii() and plain.isalpha()):
        return ""
    for pair, sound in _DIGRAPHS["latin"]:
        plain = plain.replace(pair, sound)
    plain = re.sub("c(?=[eiy])", "s", plain).replace("c", "k")
    return re.sub("g(?=[eiy])", "J", plain).replace("y", "i")


def _without_marks(word: str) -> str:
    """In small letters without accents; the signs of Devanagari are no accents."""
    return "".join(
        sign
        for sign in unicodedata.normalize("NFD", word.lower())
        if not unicodedata.combining(sign) or "\u0900" <= sign <= "\u097f"
    )


@lru_cache(maxsize=32_768)
def consonant_frames(sounds: str) -> frozenset[str]:
    """The classes of a word's consonants, in each way they may be heard; one that is doubled counts once."""
    frames = {("", False)}  # and whether a vowel came last
    for sound in sounds:
        if sound in VOWELS:
            frames = {(frame, True) for frame, _ in frames}
            continue
        heard = set[tuple[str, bool]]()
        for one in _CLASSES.get(sound, ()):
            for frame, apart in frames:
                is_same = not one or (not apart and frame.endswith(one))
                heard.add((frame, apart) if is_same else (frame + one, False))
        frames = set(sorted(heard)[:MOST_FRAMES])
    return frozenset(frame for frame, _ in frames)


def frames_of_name(sounds: str) -> frozenset[str]:
    """The same of a word that may end with an English plural's s, which stems do not have."""
    frames = consonant_frames(sounds)
    return frames | {frame.removesuffix("s") for frame in frames}


def likely_starts(sounds: str) -> set[str]:
    """How a word of these sounds may begin in English: up to its second consonant, behind a vowel its first two."""
    starts = set[str]()
    for pattern in (_HEAD, _HEAD_WITH_GLIDES):
        first, vowels, second, third = pattern.match(sounds).groups()  # type: ignore[union-attr]
        between = {one for vowel in vowels if vowel in VOWELS for one in _SPELLED_VOWELS[vowel].split()}
        between = between or set(_ANY_VOWEL)  # a cluster, or a script that leaves vowels out
        if first:
            between = {one for one in between if one[:1] not in ("h", "j", "w")}
        ends = _spelled(second)
        if not first and third:
            ends = [end + one for end in ends for one in _spelled(third)]
        starts |= {begin + vowel + end for begin in _spelled(first) for vowel in between for end in ends}
    return {one for one in starts if len(one) > 1 and not any(one[:end] in starts for end in range(2, len(one)))}


def _spelled(sound: str) -> list[str]:
    return _SPELLED.get(sound, sound).split() or [""]


def frame_pattern(frames: frozenset[str]) -> re.Pattern[str]:
    """Finds words whose letters may have one of the frames, and others: it is quick, not exact."""
    ways = sorted({"".join(f"[^{_LETTERS_OF[one][:1]}]*?[{_LETTERS_OF[one]}]" for one in frame) for frame in frames})
    return re.compile("|".join(ways))


def sound_likeness(one: str, other: str) -> float:
    """How like two words sound, from 0 to 1; consonants count most."""
    row = [0.0]
    for sound in other:
        row.append(row[-1] + _cost_alone(sound))
    for place, sound in enumerate(one):
        before, row = row, [row[0] + _cost_alone(sound)]
        is_last = place == len(one) - 1
        for column, heard in enumerate(other):
            at_end = is_last and column == len(other) - 1
            row.append(
                min(
                    before[column] + _cost_instead(sound, heard),
                    before[column + 1] + _cost_alone(sound) / (2 if at_end else 1),
                    row[-1] + _cost_alone(heard) / (2 if at_end else 1),
                )
            )
    return max(0.0, 1.0 - row[-1] / max(len(one), len(other), 1))


@cache
def _cost_alone(sound: str) -> float:
    """Of a sound that only one word has: little for vowels and for what may be left out, an s may be an ending."""
    if sound in VOWELS:
        return 0.3
    return 0.2 if "" in _CLASSES.get(sound, ()) else 0.5 if sound == "s" else 1.0


@cache  # there are some thirty sounds
def _cost_instead(one: str, other: str) -> float:
    if one == other:
        return 0.0
    if one in VOWELS and other in VOWELS:
        return 0.25
    if {one, other} & VOWELS:
        pair = {one, other}
        return 0.1 if pair in ({"W", "u"}, {"W", "o"}, {"Y", "i"}) else 0.3 if pair == {"v", "u"} else 1.0
    return 0.15 if set(_CLASSES.get(one, "?")) & set(_CLASSES.get(other, "!")) - {""} else 1.0
