"""What makes two names one: how a name is folded, which short forms are known, and how far a misspelling may go.

Two people of different names are never one, however alike the names look ("John", "Jon"). Other things are one if
they agree in all but case, blanks, possessives and plurals ("TechCorp", "Tech Corp's"), stand for each other in the
table of short forms, or are long proper names that differ by one slip of the keyboard.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b

from ...language.quoting import bounded, is_disguised
from ...language.spelling import is_within_one_slip
from ...records.people import UNKNOWN
from ...store.sqlite.database import Row

EXACT, TURNED, SHORTER = 0, 1, 2  # forms.kind: the form itself, its words in another order, less one letter
LONG = 8  # letters a proper name must have to be matched with a slip: shorter ones differ by one letter too often
LONGEST = 100  # letters up to which a slip is looked for: each is left out once, and what is longer was pasted
CACHED = 8_192  # names whose forms are kept at hand
NEVER_ALIKE = frozenset({"person", "pet"})  # types whose names are matched to the letter
GENERIC = frozenset({"thing", "text", UNKNOWN, ""})  # types that say nothing: they agree with any other but people
ARTICLES = frozenset({"the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "this", "that"})
COMPANY_ENDINGS = frozenset({"inc", "ltd", "llc", "gmbh", "corp", "plc", "co"})

# Short forms that everybody uses; both sides are folded as below.
SHORT_FORMS = {
    "nyc": "new york",
    "new york city": "new york",
    "ny": "new york",
    "la": "los angeles",
    "sf": "san francisco",
    "dc": "washington dc",
    "uk": "united kingdom",
    "us": "united states",
    "usa": "united states",
    "united states of america": "united states",
    "eu": "european union",
    "uae": "united arab emirates",
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "postgres": "postgresql",
    "k8s": "kubernetes",
    "vs code": "visual studio code",
    "vscode": "visual studio code",
    "gh": "github",
    "aws": "amazon web services",
    "gcp": "google cloud platform",
    "ms": "microsoft",
    "fb": "facebook",
    "insta": "instagram",
    "ai": "artificial intelligence",
    "ml": "machine learning",
    "tv": "television",
    "phd": "doctorate",
    "uni": "university",
}
# Words for one relative, of whom nobody has two that are called differently: her "father" is her "dad".
SAME_KIN = {
    **dict.fromkeys(("father", "papa", "daddy"), "dad"),
    **dict.fromkeys(("mother", "mom", "mama", "mommy", "mummy"), "mum"),
    "hubby": "husband",
}
# Short forms that are words as well stand for a name only where they are written as one: "LA", not "la".
ONLY_CAPITALS = frozenset({"la", "us", "ny", "dc", "eu", "ms", "ai", "ml", "sf"})

WORD = re.compile(r"[^\W_]+(?:[+#]+)?")  # C++ and C# are not C
POSSESSIVE = re.compile(r"(?<=\w)['’]s?(?!\w)")
CAPITAL = re.compile(r"[A-Z]")


@lru_cache(CACHED)
def split_name(name: str, type: str) -> tuple[str, ...]:
    """A name's words as they are compared: folded, without articles, possessives, plurals and company endings."""
    plain = POSSESSIVE.sub("", unicodedata.normalize("NFKC", name).replace("#", " #"))
    plain = re.sub(r"(?<=\w) #(?!\d)", "#", plain)  # "C#" again; "issue #42" is "issue 42"
    found = WORD.findall(plain)
    while len(found) > 1 and found[0].lower() in ARTICLES:
        found = found[1:]
    if type in NEVER_ALIKE:
        words = tuple(word.casefold() for word in found)
        return (SAME_KIN.get(words[0], words[0]),) if len(words) == 1 and not is_proper(name) else words
    folded = [word.casefold() if is_proper(word) else singular(word.casefold()) for word in found]
    if type == "organisation" and len(folded) > 1 and folded[-1] in COMPANY_ENDINGS - {"corp"}:
        folded = folded[:-1]
    return long_form(folded, name)


def long_form(folded: list[str], name: str) -> tuple[str, ...]:
    """The words that a short form stands for; the words themselves if it is none."""
    joined = " ".join(folded)
    if joined in ONLY_CAPITALS and not name.strip().isupper():
        return tuple(folded)
    return tuple(SHORT_FORMS.get(joined, joined).split())


def singular(word: str) -> str:
    """A common noun without its plural; a key to compare by, not always a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def fold_name(name: str, type: str) -> str:
    """The form by which names are the same: its words run together. A disguised name is like no other."""
    if type == "person" and is_disguised(name):
        return f"disguised {bounded(name)}"
    return "".join(split_name(name, type)) or unicodedata.normalize("NFKC", name).strip().casefold()


@lru_cache(CACHED)
def forms_of(name: str, type: str) -> Mapping[int, int]:
    """Hashes by which a name is found, with their kinds."""
    form = fold_name(name, type)
    found = {form_hash(form): EXACT}
    if type in NEVER_ALIKE or (type == "person" and is_disguised(name)):
        return found
    words = split_name(name, type)
    if len(words) > 1:
        found.setdefault(form_hash("~" + "".join(sorted(words))), TURNED)
    if may_slip(name, form):
        told = " ".join(numbers(name))  # which have to agree: "Release 24" is not looked up with "Release 25"
        for shorter in {form[:at] + form[at + 1 :] for at in range(len(form)) if not form[at].isdigit()} | {form}:
            found.setdefault(form_hash(f"-{shorter} {told}"), SHORTER)
    return found


def stored_forms(name: str, type: str, owner: int) -> Mapping[int, int]:
    """Hashes under which an entity stands. Somebody's own thing stands under its owner, so that a guitar is looked up
    among one's own things and not among everybody's, and under `anybodys` for those who ask for guitars."""
    if not owner:
        return forms_of(name, type)
    own = {form_hash(f"{owner} {form}"): kind for form, kind in forms_of(name, type).items() if kind != SHORTER}
    return {**own, anybodys(name, type): EXACT}


def anybodys(name: str, type: str) -> int:
    """The form of a thing that somebody has, whoever it is."""
    return form_hash(f"o {fold_name(name, type)}")


def form_hash(text: str) -> int:
    """63 bits of a hash: forms are compared, never shown."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


def is_proper(name: str) -> bool:
    """Whether it is written as a name: with a capital or a digit in it."""
    return bool(CAPITAL.search(name)) or any(char.isdigit() or char.isupper() for char in name)


def may_slip(name: str, form: str) -> bool:
    """Long proper names may be misspelt and still be meant."""
    return LONG <= len(form) <= LONGEST and is_proper(name.strip()[:1])


def numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def same_type(one: str, other: str) -> bool:
    """Whether things of these types may be one: the same type, or one that says nothing (but of people and pets)."""
    if one == other:
        return True
    if NEVER_ALIKE & {one, other}:
        return False
    return bool(GENERIC & {one, other})


def is_same(name: str, other: str, type: str) -> bool:
    """Whether two names are names of one thing of a type."""
    here, there = fold_name(name, type), fold_name(other, type)
    if here == there:
        return True
    if type in NEVER_ALIKE or numbers(name) != numbers(other):
        return False
    if sorted(split_name(name, type)) == sorted(split_name(other, type)):
        return True
    if not (may_slip(name, here) and may_slip(other, there)):
        return False
    return is_within_one_slip(here, there)  # "Mircosoft", but not "Austria" and "Australia"


def best_name(counted: Iterable[tuple[str, int]]) -> str:
    """The name most used; of those used as often the one with capitals, then the longer, then by the alphabet."""
    return min(counted, key=lambda pair: (-pair[1], not is_proper(pair[0]), -len(pair[0]), pair[0]))[0]


def type_of(row: Row) -> str:
    """The type by the rules, whatever the user says: a name is looked up as what it is extracted as."""
    return str(row["type"] if row["base"] is None else row["base"])


def exact_forms(name: str, row: Row) -> set[int]:
    """The very forms of a name, as an entity's own stand in the store."""
    types = {row["type"], type_of(row)}
    return {form for type in types for form, kind in stored_forms(name, type, row["owner"]).items() if kind == EXACT}
