"""All rules that come with Engramma."""

from __future__ import annotations

from functools import cache

from .commands import COMMANDS
from .devices import DEVICES
from .pairs import PAIRS
from .phrases import PHRASES
from .pii import PII
from .rule import Rule, RuleSet
from .spoken_codes import CODES
from .spoken_languages import LANGUAGES
from .spoken_secrets import SPOKEN
from .tables.business import BUSINESS
from .tables.clouds import CLOUDS
from .tables.developers import DEVELOPERS
from .tables.models import MODELS
from .tables.structures import STRUCTURES

SECRETS: tuple[Rule, ...] = (
    *STRUCTURES,
    *CLOUDS,
    *MODELS,
    *DEVELOPERS,
    *BUSINESS,
    *COMMANDS,
    *DEVICES,
    *PAIRS,
    *SPOKEN,
    *CODES,
    *LANGUAGES,
    *PHRASES,
)


@cache
def load_rules(pii: bool = False) -> RuleSet:
    """The rules that come with Engramma, ready to run; with those for personal data only if asked for."""
    return RuleSet.of((*SECRETS, *PII) if pii else SECRETS)
