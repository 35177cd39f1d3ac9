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
    return bool(_FOR_ALL.fullmatch(local)) and "".join(words) in "".join(re.findall(r"\w+", domain.casefold()))
