"""Who sends mail and is nobody: companies, newsletters, offices and programs, by their names and addresses.

Only what is clear counts. A name that begins with a given name may be a person's ("Anna Office", "Lisa Church") unless
it has more words than a person's, or says by itself what it is ("Anna Meier GmbH").
"""

from __future__ import annotations

import re

from ...files.foreign_json import loads
from ...store.store import Store
from .known_names import first_names, head_type

MOST_WORDS = 3  # of a person's name
SHORTEST_WORD = 4  # letters of a word by which an address is its sender's
FEWEST_INITIALS = 3
LATELY = 200  # turns of a sender that are looked at
_LEGAL = re.compile(
    r"(?i:\b(?:ltd|limited|gmbh|inc|llc|llp|plc|corp|ohg|sarl|s\.r\.l|b\.v|e\.\s?v)\b)|\b(?:AG|KG|UG)$|& Co\b"
)
_WORDS = """
    accounts alerts billing bookings customer helpdesk invoices kundendienst kundenservice lettings mailer marketing
    news newsletter newsletters noreply notification notifications office orders reception redaktion reservations sales
    service services shop store support team updates versand webshop
"""
_SENDS = frozenset(_WORDS.split())
_NO_REPLY = re.compile(r"(?i)(?:no|not|nicht|ne)[-_.]?(?:reply|antworten|respond)|mailer-daemon|postmaster|bounces?\b")
_FOR_ALL = re.compile(  # addresses that are no person's
    r"(?i)(?:info|hello|hallo|contact|kontakt|support|help|service|sales|billing|accounts?|office|news|newsletter|team"
    r"|shop|orders?|notifications?|alerts?|updates?|bookings?|admin|mail|post|marketing)"
)


def only_mails_as_nobody(store: Store, name: str) -> bool:
    """Whether all that somebody said lately are mails, and their sender is clearly no person."""
    last = store.one("mails_of_speaker", speaker=name, limit=1)
    if last is None or not last["mails"] or not is_nobody(name, loads(last["meta"] or "{}").get("address", "")):
        return False
    lately = store.one("mails_of_speaker", speaker=name, limit=LATELY)
    return lately is not None and lately["mails"] == lately["turns"]


def is_nobody(name: str, address: str = "") -> bool:
    """Whether a sender of mail is clearly no person."""
    local, _, domain = (name if "@" in name else address).partition("@")
    if "@" in name:
        return bool(_NO_REPLY.search(local) or _FOR_ALL.fullmatch(local))
    words = re.findall(r"\w+", name.casefold())
    if not words or _LEGAL.search(name) or words[-1] == "newsletter":
        return True
    if words[0] in first_names() and len(words) <= MOST_WORDS and not any(map(str.isdigit, name)):
        return False
    if not _SENDS.isdisjoint(words) or _NO_REPLY.search(local):
        return True
    if head_type(name) == "organisation" and words[0] not in local.casefold():  # Church and Bank are surnames, too
        return True
    if "&" in name and first_names().isdisjoint(words):
        return True
    return _is_of_its_domain(words, domain.casefold()) and _is_for_all(words, local.casefold())


def _is_of_its_domain(words: list[str], domain: str) -> bool:
    """Whether a domain is the sender's own: it has the first word of the name, a person's being the last one, or the
    first letters of all ("rch.nhs.uk")."""
    labels = re.findall(r"\w+", domain)
    initials = "".join(word[0] for word in words)
    is_short = len(initials) >= FEWEST_INITIALS and initials in labels
    return is_short or (len(words[0]) >= SHORTEST_WORD and words[0] in "".join(labels))


def _is_for_all(words: list[str], local: str) -> bool:
    """Whether an address is no person's: it is an office's, or an ordinary word that nobody is called."""
    if _FOR_ALL.fullmatch(local):
        return True
    if len(words) < 2:
        return False  # "Tupper <garden@tupper.org>" may be somebody
    from ...models.common_words import common_words  # its vocabulary costs only who needs it

    return local in common_words() and local not in first_names() and not any(word in local for word in words)
