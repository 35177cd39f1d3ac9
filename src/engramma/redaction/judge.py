"""Is this a secret or only shaped like one? Entropy, checksums, and what people write in place of a secret."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from ..patterns import late

# What stands where a secret would: templates, references to the environment, stars, and words for "put yours here".
TEMPLATE = late(
    r"\$\{|\{\{|\$\(|<%|%\(|#\{|^\$[A-Za-z_]\w*$|^%\w+%$|^\{\w*\}$|^<[^>]*>?$|^\[[^\]]*\]?$|^@\w+@$|^%[sdvr]$|^![a-z]+$|^ENC[(\[]|"
    r"process\.env|import\.meta|os\.environ|getenv|\benv[.\[(]|secrets\.|vault:|^ref\+|^op://|^arn:|^vault/|"
    r"^(?:var|local|data|module|self|this|args|config|settings|request|req|ctx|params|options|props|user|event|"
    r"current_user|app|data|state|session|response|res|body|row|cfg|conf|opts|input)\.",
    re.IGNORECASE,
)
STAND_IN = late(
    r"(?:^|[^a-z0-9])(?:your|my|the|some|any|insert|enter|put|add|paste|replace|change|fill)(?:[^a-z0-9]|$)|your[_-]?[a-z]|"
    r"change[_-]?(?:me|it|this)|replace[_-]?(?:me|with|this)|example|placeholder|dummy|redacted|masked|hidden|"
    r"sample|foobar|todo|fixme|xxxx|\*\*\*|\.\.\.|…|•••|fake|insert[_-]|not[_-]?(?:set|real|a[_-])|"
    r"goes[_-]?here|[_-]here$|to[_-]?be[_-]|(?:0123456789|1234567890|abcdefghij)|deadbeef|lorem|n/a$|"
    r"secret[_-]?(?:value|goes)|api[_-]?key|access[_-]?token|auth[_-]?token|placeholder|template",
    re.IGNORECASE,
)
# Words that may stand after "password:" without being one.
EMPTY_WORDS = """
null none nil undefined true false yes no on off empty string str int integer number bool boolean bytes text any
object optional required password passwd pwd pass secret token key apikey auth credential credentials username user
admin value default test testing hidden unset blank missing invalid incorrect wrong unknown changed reset expired
protected encrypted hashed plaintext basic bearer digest oauth oauth2 jwt saml oidc apikeyauth function const let var
new return await async self this void char varchar password_hash secretstr securestring tbd todo n/a na xxx foo bar
baz qux changeme changeit passphrase
"""
EMPTY = frozenset(EMPTY_WORDS.split())


# Where a command or an address says beyond doubt that a password stands here, only these are taken for none.
ASK = late(
    r"(?i)^(?:(?:my|your|the|db|user|some|new|old)?[_-]?(?:pass(?:word|wd|wort|code|phrase)?|pwd|pw|secret|token)|x+|\*+|\.+|-+|)$|"
    r"your|xxxx|\*\*\*|\.\.\.|…|•••|change[_-]?(?:me|this)|placeholder|redacted|masked|hidden|replace|goes[_-]?here|[_-]here$|"
    r"example[_-]?pass|insert[_-]|todo|dummy"
)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


def is_placeholder(value: str) -> bool:
    """A placeholder, a template or a reference: what stands where a secret would."""
    bare = value.strip("'\"` ")
    return (
        bare.lower() in EMPTY
        or len(set(bare.lower().strip("-_"))) <= 2
        or TEMPLATE.search(bare) is not None
        or STAND_IN.search(bare) is not None
    )


def is_password_placeholder(value: str) -> bool:
    """A placeholder where a password certainly stands: a template, stars, or the word itself."""
    bare = value.strip("'\"` ")
    return not bare or TEMPLATE.search(bare) is not None or ASK.search(bare) is not None


def jumbled(value: str) -> bool:
    """Long, and small and capital letters mixed as nobody writes them, digits or not."""
    letters = [c for c in value if c.isalpha()]
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(letters))
    return len(value) >= 20 and turns > len(letters) // 8 and len(set(value)) >= 12 and not is_placeholder(value)


def drawn(value: str) -> bool:
    """Looks drawn at random: letters and digits mixed, and not what people write in place of a secret."""
    return (
        any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and len(set(value)) >= min(8, len(value) // 2)
        and not is_placeholder(value)
        and not _walks(value)
    )


def _walks(value: str) -> bool:
    """Runs such as abcdef or 123456 make up most of it: somebody typed a filler."""
    steps = sum(ord(b) - ord(a) == 1 or a == b for a, b in pairwise(value))
    return steps > 0.78 * len(value)


def luhn(number: str) -> bool:
    """The check digit of a card number holds."""
    digits = [int(c) for c in number if c.isdigit()]
    doubled = [d if i % 2 == 0 else (2 * d - 9 if d > 4 else 2 * d) for i, d in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and sum(doubled) % 10 == 0


def iban(number: str) -> bool:
    """The checksum of an IBAN holds (ISO 7064, modulo 97)."""
    bare = number.replace(" ", "").upper()
    turned = bare[4:] + bare[:4]
    return 15 <= len(bare) <= 34 and turned.isalnum() and turned.isascii() and int(_digits(turned)) % 97 == 1


def _digits(text: str) -> str:
    return "".join(str(int(c, 36)) for c in text)
