"""Writes src/engramma/models/character_ranges.py: what the library `tokenizers` does with each character.

    python -m train.character_ranges

It asks the installed library, whose tables are of several versions of Unicode, so that our own tokenizer sees the same
with every Python. `unicodedata2` (from PyPI, of the newest Unicode) says which characters a Python knows more about.
Run it with the oldest Python that Engramma is for: its small letters are the fewest.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/engramma/models/character_ranges.py"
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
HIGHEST = "\u0345"  # of its class no mark is higher, so every other one is put before it
ABOUT = {
    "DROPPED": "controls, formats, and those for private use",
    "BLANK": "",
    "CHINESE": "each a word of its own for the small encoder",
    "ACCENT": "dropped after taking characters apart, for the small encoder",
    "PUNCTUATION": "each a word of its own; ASCII has more",
    "ARABIC": "",
    "HAN": "",
    "UNSPACED": "scripts that are written without spaces",
    "MARK": "may go with a character before them, or before a mark before them",
    "FIXED": "newer than the library's tables: neither taken apart nor put together",
}


def ask() -> tuple[dict[str, list[str]], dict[str, str]]:
    """The characters of each kind, and the small letters of those that some Python does not know."""
    import unicodedata2
    from tokenizers import Regex, normalizers, pre_tokenizers

    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]

    def bert(step: str) -> Callable[[str], str]:
        steps = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
        normalized: Callable[[str], str] = normalizers.BertNormalizer(**steps | {step: True}).normalize_str
        return normalized

    def of(pattern: str) -> list[str]:
        taken_out = normalizers.Replace(Regex(pattern), "").normalize_str
        return [sign for sign in every if not taken_out(sign)]

    clean, chinese, accents, small = map(bert, ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"))
    apart, cut = normalizers.NFD().normalize_str, pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    taken = {sign: apart(sign) for sign in every}
    goes_before = {sign for sign in every if apart(HIGHEST + sign) != HIGHEST + taken[sign]} | {HIGHEST}
    goes_with = {part for sign in every for part in taken[sign][1:]}

    def is_newer(sign: str) -> bool:
        own = unicodedata2.normalize("NFD", sign)
        return bool(own != taken[sign] or (unicodedata2.combining(sign) and sign not in goes_before))

    kinds = {
        "DROPPED": [sign for sign in every if clean(sign) == ""],
        "BLANK": [sign for sign in every if clean(sign) == " "],
        "CHINESE": [sign for sign in every if chinese(sign) != sign],
        "ACCENT": [sign for sign in every if accents(sign) == ""],
        "PUNCTUATION": [sign for sign in every if sign > "\x7f" and len(cut(f"a{sign}a")) == 3],
        "ARABIC": of(r"\p{Arabic}"),
        "HAN": of(r"\p{Han}"),
        "UNSPACED": of(UNSPACED),
        "MARK": sorted(goes_before | goes_with),
        "FIXED": [sign for sign in every if is_newer(sign)],
    }
    lower = {sign: small(sign) for sign in every if small(sign) != sign.lower() and len(small(sign)) == 1}
    return kinds, lower


def ranges(signs: Iterable[str]) -> list[tuple[int, int]]:
    """The code points from and to, both included."""
    found: list[tuple[int, int]] = []
    for code in map(ord, signs):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def class_of(signs: Iterable[str]) -> str:
    """The inside of a character class."""
    spans = ((escaped(first), escaped(last)) for first, last in ranges(signs))
    return "".join(first if first == last else f"{first}-{last}" for first, last in spans)


def escaped(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def literal(text: str, width: int = 84) -> str:
    """A string over several lines; a range is never cut."""
    parts = text.replace("\\", " \\").replace("- ", "-").split()
    return "\n".join(f'    "{line.replace(" ", "")}"' for line in textwrap.wrap(" ".join(parts), width + 24))


def written(kinds: dict[str, list[str]], lower: dict[str, str]) -> str:
    lines = [
        '"""What kind each character is, as the tokenizers of the packaged networks see it: the insides of classes.',
        "",
        'Made by train/character_ranges.py. Python\'s own tables differ from version to version."""',
    ]
    for name, signs in kinds.items():
        about = f"  # {ABOUT[name]}" if ABOUT[name] else ""
        lines += ["", f"{name} = ({about}", literal(class_of(signs)), ")"]
    lines += ["", "# Capital letters that not every Python knows, and their small ones."]
    for name, signs in (("CAPITAL", lower), ("SMALL", lower.values())):
        lines += [f"{name} = (", literal("".join(escaped(ord(sign)) for sign in signs)), ")"]
    return "\n".join(lines) + "\n"


def main() -> None:
    OUT.write_text(written(*ask()), encoding="utf-8")


if __name__ == "__main__":
    main()
