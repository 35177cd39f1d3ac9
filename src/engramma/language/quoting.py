"""Shows stored text and names to a model so that nothing in them can pass for Engramma's own words.

Stored text is quoted: every line of it begins with `> `. A character that would break a line, hide or reorder what is
read is written as `<U+2028>`, and so is whatever looks like such an escape or like one of our fences. No quoted line is
empty: an empty line of the text is a `¶` at the end of the line before it. Both directions are exact:
`unquoted(quoted(text)) == text`. Names become one bounded line that holds no bracket and no bar, so they
cannot end a label; letters that imitate others are pointed out.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from .graphemes import first_characters

QUOTE = "> "
EMPTY_LINE = "¶"
NAME_CHARACTERS = 120  # of a name as it is shown; a longer one is cut and told apart by its hash
ID_CHARACTERS = 400  # of an id, which a model has to give back whole

# Controls but for tab and line feed, all other line ends, characters that reorder or smuggle text, halves of pairs.
_HIDDEN = "\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e01ef"
_TAGS = "\U000e0000"  # from here on there are characters that are printable and not seen
_LIKE_OURS = r"<(?=U\+[0-9A-F]{4,6}>)|<(?=[\s/]*+(?i:engramma-memory))"
_IN_TEXT = re.compile(f"[{_HIDDEN}]|{_LIKE_OURS}")
_ESCAPE = re.compile(r"<U\+([0-9A-F]{4,6})>")
# In quoted lines also: a ¶ of the text's own where ours would stand, line feeds before the first word, and the first
# blank of a line that has nothing else.
_IN_QUOTE = re.compile(r"¶(?=¶*$)|^[^\S\n](?=[^\S\n]*$)", re.MULTILINE)
_FIRST_LINES = re.compile(r"\A\n+")

# In names also: what ends a label or a field, every invisible character, spaces that are none, an edge that is lost.
_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
_IN_NAME = re.compile(rf"[\t\n\[\]|\uff3b\uff3d\uff5c{_BLANKS}{_HIDDEN}]|{_LIKE_OURS}|^[ >]| \Z")
_COLONS = re.compile("[:\ufe55\uff1a\u2236\ua789\u02d0]")
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")


def escaped(text: str) -> str:
    """A text whose every character is seen, and stands on the line where it stood."""
    return _IN_TEXT.sub(_as_escape, text)


def unescaped(shown: str) -> str:
    """The text that was escaped."""
    return _ESCAPE.sub(_as_character, shown)


def quoted(text: str) -> str:
    """A text as quoted lines; none of it can stand at the beginning of a line."""
    if text.isprintable() and text.isascii() and "<" not in text and text and not text.isspace():
        return QUOTE + text  # a single line of which nothing has to be escaped, as most are
    shown = text if _is_plain(text) else escaped(text)
    rows = shown.split("\n")
    if "¶" in shown or any(row.isspace() for row in rows) or not rows[0]:  # patterns take their time: most need none
        shown = _FIRST_LINES.sub(lambda found: "<U+000A>" * len(found[0]), _IN_QUOTE.sub(_as_escape, shown))
        rows = shown.split("\n")
    lines = list[str]()
    for line in rows:
        if line or not lines:
            lines.append(line)
        else:
            lines[-1] += EMPTY_LINE
    return QUOTE + f"\n{QUOTE}".join(lines)


def _is_plain(text: str) -> bool:
    """Whether nothing in a text has to be escaped, as in most: told without a pattern."""
    if "<" in text or not text.replace("\n", " ").replace("\t", " ").isprintable():
        return False
    return text.isascii() or max(text) < _TAGS


def unquoted(lines: list[str]) -> str:
    """The text that was quoted; an empty line, as earlier versions wrote it, may have lost its blank on the way."""
    return unescaped("\n".join(_with_empty_lines(line[len(QUOTE) :]) for line in lines))


def _with_empty_lines(line: str) -> str:
    bare = line.rstrip(EMPTY_LINE)
    return bare + "\n" * (len(line) - len(bare))


def name_line(name: str, most: int = NAME_CHARACTERS) -> str:
    """A name in one bounded line without brackets and bars; what it imitates follows in brackets, which are ours."""
    if name.isascii() and name.isalnum() and len(name) <= most:
        return name
    return bounded(name, most) + look_alike(name)


@lru_cache(maxsize=1024)
def speaker_line(name: str) -> str:
    """The name of whoever speaks. A colon ends it where it is shown, so it holds none."""
    shown = name_line(name)
    head, mark, rest = shown.partition(" [")
    return _COLONS.sub(_as_escape, head) + mark + rest


def is_disguised(name: str) -> bool:
    """Whether a name holds what is not seen or imitates others: it is nobody's whose name it looks like."""
    bare = name.strip()[:NAME_CHARACTERS].strip()
    return speaker_line(bare) != bare


def name_in(shown: str) -> str:
    """The name that was shown; of one that was cut, what `bounded` makes of it."""
    return unescaped(re.sub(r" \[look-alike: [^\]]*\]$", "", shown))


def bounded(name: str, most: int = NAME_CHARACTERS) -> str:
    """A name without what its letters imitate; a long one is cut and told apart by its hash."""
    shown = "".join(map(_visible, _IN_NAME.sub(_as_escape, name)))
    if len(shown) <= most:
        return shown
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    kept = first_characters(shown, most - 13)
    begun = kept.rfind("<U+", -10)  # an escape that is cut in two says nothing
    kept = kept[:begun] if begun >= 0 and ">" not in kept[begun:] else kept
    return f"{kept}… [#{digest}]"


def _visible(character: str) -> str:
    """The character itself, or an escape where nothing would be seen of it."""
    if character.isascii() or unicodedata.category(character) not in _UNSEEN:
        return character
    return f"<U+{ord(character):04X}>"


def _as_escape(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"


def _as_character(match: re.Match[str]) -> str:
    number = int(match[1], 16)
    return chr(number) if number <= 0x10FFFF else match[0]


# --- letters that imitate others ----------------------------------------------------------------

# Scripts whose letters are easily taken for Latin ones. Words that mix them, or use such letters alone, are marked.
_IMITATING = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GOTHIC", "DESERET", "OSAGE", "WARANG")
_LIKE_LATIN = frozenset(
    "АВЕЅІЈКМНОРСТУХҮԌԚԜӀавеѕіјкморстухүԁһԛԝӏьԍ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹαγικνορτυχϲϳ"  # Greek
    "ՍՏՕԼհոսօցզ"  # Armenian
)
_ODD_LATIN = frozenset("ɑɡɩʟʀɴꞁƖʏⅼ")
_LETTERS = re.compile(r"[^\W\d_]+")


def look_alike(name: str) -> str:
    """` [look-alike: Cyrillic]` after a name whose letters may be taken for others; else nothing."""
    if name.isascii():
        return ""
    found: set[str] = set()
    for word in _LETTERS.findall(name):
        scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word}
        imitating = scripts & set(_IMITATING)
        if imitating and (len(imitating) > 1 or "LATIN" in scripts or set(word) <= _LIKE_LATIN):
            found |= imitating
    if any((not c.isascii() and c.isalnum() and _plain(c)) or c in _ODD_LATIN for c in name):
        found.add("STYLED")
    return f" [look-alike: {', '.join(sorted(script.capitalize() for script in found))}]" if found else ""


def _plain(character: str) -> bool:
    """Whether it is an ordinary letter or digit in another dress: fullwidth, mathematical, circled."""
    plain = unicodedata.normalize("NFKC", character)
    return character not in "ªº²³¹" and plain.isascii() and plain.isalnum()
