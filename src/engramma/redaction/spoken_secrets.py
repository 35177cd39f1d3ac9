"""Secrets as people say them: "my password is …", "the pin is …", in English, German, French, Spanish and more."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ..patterns import late
from .judge import EMPTY, is_placeholder
from .rule import Rule, Span

IS = r"(?:(?:was |is |has been |got )?(?:changed|set|reset|updated) to|is now|is still|is just|was|is|are|ist|war|lautet|heißt|est|était|c'est|es|era|é|è|will be|to|:|-|–|→)"
GAP = r"(?:[ \t]+[^\s.!?,;:=\d\"'`]{1,20}){0,6}?"
VALUE = r"(?P<quote>[\"'`“„«*]{0,3})\s?(?P<value>[^\s\"`“”„«»]{3,64})"
# What a password can be said to be without being said.
SAID_WORDS = """
wrong right correct incorrect invalid valid expired required optional weak strong secure insecure safe unsafe unique
different same similar protected gone lost forgotten mine yours ours theirs missing needed necessary important secret
private public sensitive encrypted hashed visible hidden stored saved known unknown good bad better best okay fine
ready working broken blank empty long short simple complex complicated easy hard difficult random temporary permanent
essential key stolen leaked compromised exposed breached reset changed updated accepted rejected sent shown given set
below above here there everywhere somewhere something anything nothing everything case sensitive again anymore always
never often usually also still already currently actually really probably maybe definitely certainly properly
correctly automatically safely securely easily english french spanish german latin confidential falsch richtig
abgelaufen sicher unsicher geheim vergessen nötig notwendig erforderlich faux incorrecta correcta incorrecto correcto
segura seguro débil fuerte perdu oublié expiré requis incorrecte correcte authentication verification security
protection manager managers hygiene generator hashing login access prompt prompts field fields rules history hints hint
strength expiry encryption requirements complexity policy policies recovery sharing storage hacking cracking entropy
vault book notes irrelevant annoying ridiculous terrible great awful obvious involved done over enough common standard
kompliziert lang kurz ungültig korrekt geheim verschlüsselt larga corta equivocada equivocado caducada vacía
mauvais invalide errada errado correta incorreta inválida longa curta secreta expirada
sbagliata sbagliato errata errato corretta corretto lunga corta scaduta sicura segreta
"""
SAID = frozenset(SAID_WORDS.split())
CALL = late(r"[A-Za-z_$][\w$.]*[(\[]")
AND_USER = late(r"(?i) (?:and|und|et|y|with) (?:the |my |das |der )?(?:user|login|e-?mail|benutzer|account)")
END = late(r"[.!?,;:)\]}*»”\"']+$")
VERB = late(r"(?i)pass[^a-z]")  # it may be one
# What stands before a pass that is a password for sure.
WHOSE = late(
    r"(?i)(?:\b(?:my|our|your|his|her|their|(?:e-?)?mail|user|login|wi-?fi|w-?lan|router|hotspot|admin|root|guest|account|"
    r"vault|db|database|ftp|ssh|vpn)|\b(?:user(?:name)?|login|account)[ :=]{1,2}[\w.-]{1,30}|@[\w-]+(?:\.\w+)+)[ ,/:]{1,3}$"
)
# An option, a call, a member, a list or a pair of name and value: what code hands over.
HANDED_OVER = late(r"-{1,2}[A-Za-z]|[&*]+\w|[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*|[=(\[{])")
# The name of a variable that holds a password, not one itself.
VARIABLE = late(r"(?i)[a-z]+(?:_[a-z]+)*_(?:pass(?:word|wd|phrase|code)?|pwd|token|secret|key)(?:_file)?")
LAST_SIGNS = late(r"[.!?,;:]+(?=[\"'`”»」』])|[!?]*")


def secret_span(string: str, start: int, value: str) -> Span:
    """Where a value stands, with "!" and "?" right behind it: sentences end with them, and so do passwords; within quotes
    with all up to the quote."""
    last = LAST_SIGNS.match(string, start + len(value))
    return start, last.end() if last is not None else start + len(value)


def _said(match: re.Match[str]) -> Span | None:
    """The value if it has a digit or sign in it, is quoted, or ends the sentence and is no word for a password's state."""
    value = END.sub("", match["value"])
    value = value if not value.startswith("(") else ""
    start = match.start("value")
    after = match.string[match.end("value") : match.end("value") + 1]
    if (
        len(value) < 4
        or is_placeholder(value)
        or value.lower() in SAID
        or CALL.match(value)
        or VARIABLE.fullmatch(value)
        or (match[0].startswith("PWD") and value.startswith("/"))
        or "'" in value
        or "’" in value
    ):
        return None
    mixed = any(c.isdigit() for c in value) and any(not c.isdigit() for c in value)
    signs = any(c in "!@#$%^&*_+=~?" for c in value)
    capitals = re.search(r"[a-z][A-Z]", value) is not None
    more = AND_USER.match(match.string, match.end("value")) is not None
    alone = after in ("", "\n") or len(value) != len(match["value"]) or more
    plain = (
        re.fullmatch(r"[^\W\d_]{5,}(?:-[^\W\d_]+)*", value) is not None
        and match["direct"] is not None
        and match[0][:5].lower() != "clave"
    )
    if value.isdecimal():
        return secret_span(match.string, start, value) if alone or match["quote"] else None
    if re.fullmatch(
        r"[$€£]\d[\d.,]*|\d+[-–]\d+|\d+\+?(?:st|nd|rd|th|x|%|k|m)?|https?:.*|www\..*|\d{1,2}:\d\d|[\w.+-]+@[\w-]+\.\w+",
        value,
    ):
        return None
    if match["quote"] or (mixed and len(value) >= 5) or signs or capitals or value.count("-") > 1:
        return secret_span(match.string, start, value)
    return secret_span(match.string, start, value) if alone and plain and value.lower() not in EMPTY else None


def _after_word(match: re.Match[str]) -> Span | None:
    """`password hunter2`: nothing between, so letters and digits must be mixed."""
    value = END.sub("", match["value"])
    quoted = match.string[match.start("value") - 1] in "\"'`“„" and len(value) >= 4
    if quoted and not is_placeholder(value):
        return secret_span(match.string, match.start("value"), value)
    if len(value) < 6 or is_placeholder(value) or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return None
    if re.match(
        r"https?:|www\.|[\w.+-]+@[\w-]+\.[a-z]+$|[A-Za-z]+[-/][a-z]+$|[A-Za-z]+/|(?i:n?varchar|char)\(|\d+(?:-|st|nd|rd|th|\+)|\(|(?:Windows|Python|Java|Level|Chapter|Step|Part|Version|Office|Section|Figure|Table)\d*$|[A-Z]+-\d+$",
        value,
    ):
        return None
    return secret_span(match.string, match.start("value"), value)


def _right_after(match: re.Match[str]) -> Span | None:
    """The same, unless "pass" is the verb: "pass `dry_run=True`" and "we pass `rows` on" hand something over."""
    if VERB.match(match[0]) and not WHOSE.search(match.string[max(0, match.start() - 40) : match.start()]):
        quoted = match.string[match.start("value") - 1] in "\"'`“„"
        if HANDED_OVER.match(match["value"]) or (quoted and not re.search(r"\d", match["value"])):
            return None
    return _after_word(match)


def _pin(match: re.Match[str]) -> Span | None:
    """The digits, unless they are six after "PIN code", which in India is a place."""
    six = sum(c.isdigit() for c in match["value"]) == 6
    return None if six and match[0][:8].lower() == "pin code" else match.span("value")


# What a mere "pass" is a password for; one for the lift or the exam is none.
FOR_NETWORK = r"(?:for|fürs?|fuers?|zum|vom) (?:the |my |our |das |dem |den |unser |mein )?(?:wi-?fi|wlan|router|hotspot|network|netz|laptop|account|konto)"
WORD = (
    rf"(?<![A-Za-z_])(?:pass(?:word|code|phrase|wort|(?= is| {FOR_NETWORK}))|"
    r"kennwort|pwd|pw|mot de passe|mdp|contraseña|contrasena|clave|senha|"
    r"wifi key|wi-fi key|network key|wlan-schlüssel|netzwerkschlüssel|login|parola d'ordine|parola|password)(?:s)?"
)
WORDS = (
    "pass is",
    "pass for ",
    "pass für",
    "pass fuer",
    "pass zum ",
    "pass vom ",
    "password",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "pwd",
    "pw ",
    "mot de passe",
    "mdp",
    "contraseña",
    "contrasena",
    "clave",
    "senha",
    "wifi key",
    "wi-fi key",
    "network key",
    "wlan-schlüssel",
    "netzwerkschlüssel",
)
DIGITS = r"(?P<value>\d(?:[ -]?\d){3,9})(?![\d\w%€$]|[.,:/-]\d)"

# fmt: off
SPOKEN = (
    Rule("password", "password said in a sentence", WORDS,
         late(rf"(?i:(?<![A-Za-z_-]){WORD.removeprefix('(?<![A-Za-z_])')}(?P<direct>(?:\s+(?:for|to|of|on|at|fürs?|fuers?|zu[rm]?|vom|pour|du|de|del|da|di)(?:\s+[^\s.!?,;:=\d]{{1,20}}){{1,4}}?)?)(?:['’]s|\s*{IS})(?:\s+(?:now|still|just|currently|jetzt|ahora|maintenant))?\s*+:?)\s*+(?<=[\s:=→-]){VALUE}"), cut=_said, rank=0),
    Rule("password", "password said some words after its name", WORDS,
         late(rf"(?i:{WORD}{GAP}(?P<direct>(?!))?\s+{IS}:?)\s+{VALUE}"), cut=_said, rank=0),
    Rule("password", "password right after the word for it", ("password ", "passwort ", "passcode ", "pass ", "pw ", "pwd ", "kennwort ", "contraseña ", "mot de passe ", "password, ", "passphrase "),
         late(r"(?i:(?<![A-Za-z_])(?:pass(?:word|code|wort|phrase)?|pwd?|kennwort|contraseña|mot de passe)),?\s+(?:of\s|von\s)?[\"'`“„]?(?P<value>[^\s\"'`“”,]{4,64})"), cut=_right_after, rank=0),
    Rule("pin", "PIN or numeric code after its name", ("pin ", "pin:", "pin=", "pin-", "puk ", "puk:", "puk=", "passcode", "geheimzahl"),
         late(rf"(?:(?<![A-Za-z])(?:PIN|(?i:pin(?:[ -](?:code|number|nummer|num))?|puk(?:[ -]code)?|passcode|geheimzahl))(?i:{GAP}\s*(?:is|ist|lautet|est|es|era|was|to|=|:|-|→)\s*+(?:now\s|still\s|jetzt\s)?:?)\s*+|(?<![A-Za-z])(?:PIN|PUK)\s|(?<![A-Za-z])(?i:pin(?: code| number)?) (?=\d{{4}}(?!\d)))[\"'`“*]{{0,2}}{DIGITS}"),
         cut=_pin, check=lambda v: 4 <= sum(c.isdigit() for c in v) <= 8, rank=0),
    Rule("login-pair", "user and password side by side after their name", ("creds", "credential", "account: ", "account is ", "login", "logins", "zugangsdaten", "identifiants", "credenciales", "user/pass", "username/password", "log in with", "sign in with"),
         late(r"(?i:creds?|credentials?|account|logins?|zugangsdaten|identifiants|credenciales|user(?:name)?/pass(?:word)?|(?:log|sign) ?in with)(?i: {1,2}(?:are|is|sind|for \S{1,30}(?: are| is)?|sont|son))? {0,2}[:=]? {0,2}[\"'`(]?[\w.@+-]{2,60}(?: {0,2}[/|] {0,2}|:|, | and | und | et | y )[\"'`]?(?P<value>[^\s\"'`,/|]{5,64})"), cut=_after_word, rank=0),
    Rule("password", "password before the word for it", ("as the pass", "as my pass", "as your pass", "as our pass", "as password", "as pass", "as a pass"),
         late(r"(?i:(?<![A-Za-z])(?:use[sd]?|using|enter|type|chose|picked|have|has|with|takes?|wants?)) [\"'`“]?(?P<value>[^\s\"'`“”]{4,64})[\"'`”]? (?i:as (?:the |my |your |our |a |its )?pass(?:word|code|phrase)?)(?![A-Za-z])"), anywhere=True, cut=_after_word, rank=0),
    Rule("password", "password that is then called so", ("is my pass", "is the pass", "is our pass", "is your pass", "was my pass", "was the pass", "was our pass", "was your pass"),
         late(r"(?<!\S)[\"'`“]?(?P<value>[^\s\"'`“”]{4,64})[\"'`”]? (?i:(?:is|was) (?:the|my|our|your) pass(?:word|code|phrase))(?=[.,;:!?)]|\s*$|\n| (?i:for|on|at|to|of|now|and|there)\b)"), anywhere=True, cut=_after_word, rank=0),
    Rule("password", "password that was changed", WORDS,
         late(rf"(?i:{WORD}(?<!s)\s+from)\s+[\"'`“]?(?P<value>[^\s\"'`“”]{{4,64}})[\"'`”]?\s+(?i:to)\s"), cut=_after_word, rank=0),
    Rule("password", "password that it was changed to", WORDS,
         late(rf"(?i:{WORD}(?<!s)\s+from)\s+\S{{4,80}}\s+(?i:to)\s+[\"'`“]?(?P<value>[^\s\"'`“”]{{4,64}})"), cut=_after_word, rank=0),
)
