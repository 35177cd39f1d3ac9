"""Codes that open something, as people say them: of a gate, a door, an alarm, a lock, a phone or a second factor.

Digits are such a code if three things are said of them, in whichever order: that they are a code (or are typed), what
they open, and that the one is the other. "The part code for the gate motor is 44710" opens nothing.
"""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ..patterns import late
from .rule import Rule, Span

# What has nothing to tell but its code.
LOCKS = r"keypads?|key ?pads?|key ?safes?|lock ?box(?:es)?|key ?box(?:es)?|padlocks?|combination locks?|bike locks?|door ?locks?|entry ?phones?"
# What else is opened by a code.
OPENED = rf"{LOCKS}|(?:front|back|side|rear|garage)?[ -]?doors?|gates?|alarms?|locks?|safes?|garages?|lockers?|vaults?|entrances?|sheds?|lobby|building|apartment|flat|house|cottage|cabin|office|storage|barn|elevator|lift|gym|haustür|tür|tor|garage|schloss"
WHOSE = r"[ \t]+(?:(?:the|our|my|your|his|her|their|this|that|its|das|die|den|unser\w{0,2}|mein\w{0,2})[ \t]+)?(?:[^\s.!?,;:=\d\"'`]{1,15}(?:['’]s)?[ \t]+){0,2}?"
OF = rf"(?:for|to|of|on|at|into|in|by|für){WHOSE}"
FOR = rf"(?:for|to|on|at){WHOSE}"
OPENS = r"(?:that|which|to)[ \t]+(?:opens?|unlocks?|disarms?|gets? (?:you |us |me )?(?:into|through|past|in))[ \t]+(?:[^\s.!?,;:=\d\"'`]{1,15}[ \t]+){0,3}?"
# What is counted or measured opens nothing: "the code in our office is 15000 lines".
UNIT = r"(?:lines?|loc|bytes|pixels|years|euros?|dollars?|pounds?|francs?|rupees?|bucks|quid|eur|usd|gbp|chf|mm|cm|metres?|meters?|feet|inches|miles|km|kg|watts?|volts?|calories|kcal|(?:a|per) (?:month|year|week|day|night|person|piece))(?!\w)"
VALUE = rf"[\"'`“*#]{{0,2}}(?P<value>[A-Z]?-?\d(?:[ -]?\d){{3,9}}[#*]?)(?![\d\w%€$]|[.,:/-]\d|[ \t](?i:{UNIT}))"
# Words between a code and its value; "mum's" is one, but of "code's 4471" the second half leads to the value.
GAP = r"(?:[ \t]+[^\s.!?,;:=\d\"`]{1,20}){0,6}?"
IS = r"(?:(?:(?:was|is|has been|got)[ \t]+)?(?:changed|set|reset|updated)[ \t]+to|will be|is|are|ist|lautet|est|es|was|were|:|=|#|→|[–—]|-(?=\s))(?:[ \t]+(?:now|still|just|currently|jetzt|noch))?"
IT_IS = r"(?:[ \t]+(?:has |was |got |have )?(?:just |been )*changed|[ \t]+was[ \t]+[^\s,;]{4,16})?[,;]?[ \t]+(?:(?:and|so|but)[ \t]+)?(?:(?:now[ \t]+)?(?:it['’]s|it is)|now)(?:[ \t]+now)?"
CHANGED = r"(?:[ \t]+(?:was |is |has |got |been |just |have ){0,3}(?:changed|switched|updated|reset))?"
FROM_TO = rf"{CHANGED}[ \t]+(?:from[ \t]+\S{{4,16}}[ \t]+)?to(?=[ \t]+\d[\d -]{{3,9}}[#*]?\s*(?:$|[\n.!?,;)]))|{CHANGED}[ \t]+from(?=[ \t]+\d[\d -]{{3,9}}[#*]?[ \t]+to[ \t]+[\d\[])"
OTHERS = r"(?:\[redacted:code\],?[ \t]+(?:(?:and|or)[ \t]+)?){0,3}"  # codes of the same list, masked before
ASIDE = r"(?:,[ \t]+[^\s.!?;:=\d\"'`][^.!?;:=\d\"'`,]{1,24},)"

GUARDED = late(
    r"(?i)(?:door|gate|alarm|access|security|entry|garage|safe|lock|verification|2fa|mfa|keypad|building|one-time|vault|"
    r"lockbox|bike|locker|unlock|login|sms|authenticator|confirmation|padlock|phone|iphone|ipad|laptop|tablet|sim|luggage|suitcase|elevator|parking)(?:['’]s)?[ -]?$|"
    r"(?:tür|zugangs|bestätigungs|sicherheits|safe|alarm|einmal|tor|tan-)-?$"
)
# Codes that anybody may know, also of a thing that is opened.
OPEN_KIND = late(
    r"(?i)(?:area|zip|post|postal|country|dial(?:l?ing)?|error|fault|exit|status|response|source|dress|product|part|item|stock|model|serial|"
    r"paint|colou?r|ral|material|discount|promo|voucher|coupon|qr|bar|booking|order|reference|tax|sort|bank|swift|airport|currency|hs)[ -]?$"
)
# "I changed the lock, new code is …": what it opens was said just before, and the code is of no other kind.
JUST_SAID = late(
    rf"(?i)(?<![a-z])(?:{LOCKS}|doors?|gates?|alarms?|locks?|safes?|garages?|lockers?|vaults?|sheds?|entrances?|pins?|tür|tor|schloss|alarmanlage|tresor)(?![a-z])"
)
PLAIN_CODE = late(
    r"(?i)(?:^|[.!?,;:)\n–—-]\s*|\b(?:the|an?|its|our|my|your|his|her|their|this|that|and|so|new|old|current|same|right|correct|temporary|"
    r"der|den|neue[rn]?)\s+)$"
)
SHOWS_A_CODE = late(r"(?i)\b(?:error|fault|fehler|shows?|showing|showed|displays?|flash\w*|blink\w*|beep\w*)\b")
NAMES_OPENED = late(rf"(?i)[ \t](?:{OF}|{OPENS})(?:{OPENED})(?![a-z])")
THEN_OPENED = late(rf"(?i),?[ \t]+(?:{FOR}|{OPENS})(?:{OPENED})(?![a-z])")
# Beside a gate "is 4471" says nothing of what it is, unless the sentence tells to keep it in mind, or to oneself.
TO_REMEMBER = late(
    r"(?i)\b(?:don['’]?t|do not|never|please) (?:forget|tell|share|write|lose|pass)|\bremember\b|\bto (?:get|let \w+|come) in\b|\bto open\b|"
    r"\bto yourself\b|\bbetween us\b|\bsecret\b"
)
TIME_OF_DAY = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
CLAUSE_END = re.compile(r"\s*(?:$|[\n.!?,;)])")
NEAR = 120  # characters of a sentence before and after the digits: keeps hostile text linear
TWO_SENTENCES = re.compile(r"(?:[^.!?\n]*[.!?\n]+\s*)?[^.!?\n]*$")
SENTENCE_BEFORE, SENTENCE_AFTER = re.compile(r"[^.!?\n]*$"), re.compile(r"[^.!?\n]*")


def _digits(value: str) -> int:
    return sum(c.isdigit() for c in value)


def _code(match: re.Match[str]) -> Span | None:
    """Four to eight digits, if what comes before, between or after says that they open something."""
    before = match.string[max(0, match.start() - 16) : match.start()]
    if not 4 <= _digits(match["value"]) <= 8 or OPEN_KIND.search(before):
        return None
    named = match["kind"] or match["tipo"] or match[0][:3].lower() == "otp" or match[0][:6].lower() == "keypad"
    between = match.string[match.start() : match.start("value")]
    opens = (
        GUARDED.search(before) or NAMES_OPENED.search(between) or THEN_OPENED.match(match.string, match.end("value"))
    )
    return match.span("value") if named or opens or _just_said(match) else None


def _just_said(match: re.Match[str]) -> bool:
    """Whether the same sentence or the one before it tells what the code opens, before the code is named."""
    before = match.string[max(0, match.start() - NEAR) : match.start()]
    near = TWO_SENTENCES.search(before) if PLAIN_CODE.search(before) else None
    return near is not None and bool(JUST_SAID.search(near[0])) and not SHOWS_A_CODE.search(near[0])


def _code_before(match: re.Match[str]) -> Span | None:
    """The digits before "is the code", by the same marks."""
    if not 4 <= _digits(match["value"]) <= 8 or OPEN_KIND.search(match["what"]):
        return None
    opens = GUARDED.search(match["what"]) or THEN_OPENED.match(match.string, match.end())
    return match.span("value") if opens else None


def _thing(match: re.Match[str]) -> Span | None:
    """The digits that a gate, a door or an alarm "is", where they can be nothing but its code."""
    value, thing = match["value"], match["thing"].lower()
    if not 4 <= _digits(value) <= 8 or not CLAUSE_END.match(match.string, match.end("value")):
        return None
    if value.endswith(("#", "*")) or match["lock"]:
        return match.span("value")
    if thing.startswith("alarm") and TIME_OF_DAY.fullmatch(value):
        return None
    before = SENTENCE_BEFORE.search(match.string[max(0, match.start() - NEAR) : match.start()])
    after = SENTENCE_AFTER.match(match.string[match.end("value") : match.end("value") + NEAR])
    is_told = any(part and TO_REMEMBER.search(part[0]) for part in (before, after))
    return match.span("value") if is_told else None


CODE_WORDS = ("code", "combination", "kombination", "combo ", "combo:", "otp", "código", "codigo", "keypad")
THINGS = ("gate", "door", "alarm", "garage", "safe", "lock", "locker", "keypad", "lockbox", "lock box", "key box", "padlock", "vault")  # fmt: skip
AT_THINGS = ("lock opens", "safe opens", " gate", " door", " alarm", " keypad", " lockbox", " padlock", " key safe", " the safe", " the lock", " garage")  # fmt: skip
TYPED = r"(?:punch(?: in)?|type(?: in)?|press|enter|key in|tap(?: in)?|put in|use)"
SHUT = r"(?:disarm|unlock|open|deactivate|turn off|switch off)"
MY = r"(?:(?:the|our|my|your|his|her|their)[ \t]+)"

# fmt: off
CODES = (
    Rule("code", "code of a door, an alarm, a lock or a second factor", CODE_WORDS,
         late(rf"(?i:codes?(?P<kind> (?:d'accès|de la porte|de sécurité|de l'alarme|du portail|de vérification))?|c[oó]digo(?P<tipo> de (?:seguridad|acceso|la puerta|verificación|la alarma))|[ck]ombination|combo|keypad|(?<![a-z])otp)"
              rf"(?:(?i:(?:{ASIDE}|{GAP})(?:['’]s|\s*{IS})|{IT_IS}|{FROM_TO})\s*+:?\s*+{OTHERS}|(?i:[ \t]+{OF}(?:{OPENED})\??)?[ \t]+(?=\d{{4,8}}(?:[#*]|[.,!;]|\s?$|[ \t]+{FOR}(?:{OPENED})(?![a-z]))))"
              rf"{VALUE}"), cut=_code, in_digits=True, rank=0),
    Rule("code", "digits said to be a code", ("code", "combination"),
         late(rf"(?<![\w.,$€£#-]){VALUE}(?i:,?[ \t]+(?:is|was|(?:and )?that['’]?s|that is|as)[ \t]+(?P<what>(?:(?:the|my|our|your|his|her|their)[ \t]+)(?:[^\s.!?,;:=\d\"'`]{{1,15}}[ \t]+){{0,3}}?)(?:code|combination)(?![a-z]))"), anywhere=True, cut=_code_before, in_digits=True, rank=0),
    Rule("code", "what opens a gate, a door or a lock", tuple(f"{thing}{join}" for thing in THINGS for join in (" is ", ": ", "'s ", " = ", " – ")),
         late(rf"(?i:(?P<thing>(?P<lock>{LOCKS}|(?<=key )safe)|gates?|doors?|alarms?|garage|safe|lock|locker|vault)(?:['’]s|[ \t]*(?:is|:|=|–))(?:[ \t]+(?:now|still|just))?)[ \t]*{VALUE}"), cut=_thing, in_digits=True, rank=0),
    Rule("code", "code typed at a gate, a door or a lock", AT_THINGS,
         late(rf"(?i:(?<![a-z]){TYPED}[ \t]+{VALUE}[ \t]+(?:(?:at|into|in|on|to open|to unlock|to disarm)[ \t]+){MY}(?:[^\s.!?,;:=\d\"'`]{{1,15}}[ \t]+){{0,2}}?(?:{LOCKS}|door|gate|alarm|lock|safe|garage)(?![a-z]))"), anywhere=True, group="value", check=lambda v: _digits(v) <= 8, in_digits=True, rank=0),
    Rule("code", "code that disarms an alarm or opens a lock", AT_THINGS,
         late(rf"(?i:(?:(?<![a-z]){SHUT}[ \t]+{MY}(?:[^\s.!?,;:=\d\"'`]{{1,15}}[ \t]+){{0,2}}?(?:{LOCKS}|door|gate|alarm|lock|safe|garage)|(?:door|gate|lock|safe|garage)[ \t]+opens)[ \t]+(?:with|using|by typing|by entering)[ \t]+{VALUE})(?=\s*(?:$|[\n.!?,;)]))"), anywhere=True, group="value", check=lambda v: _digits(v) <= 8, in_digits=True, rank=0),
)
