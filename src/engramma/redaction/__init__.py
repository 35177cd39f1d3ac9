"""Redaction: secrets are masked before anything is stored, indexed or logged.

>>> from engramma.redaction import redact
>>> redact("my password is hunter2").text
'my password is [redacted:password]'
"""

from __future__ import annotations

from .catalog import SECRETS as SECRETS
from .mask import redact as redact
from .pii import PII as PII
from .rule import Redacted as Redacted
from .rule import Redaction as Redaction
from .rule import Rule as Rule
from .rule import RuleSet as RuleSet
from .settings import rules_from as rules_from
