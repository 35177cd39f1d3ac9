"""What people say that names no password outright: app passwords, networks, pass phrases, keys, codes."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ..patterns import late
from .judge import EMPTY, drawn, is_placeholder, jumbled
from .rule import Rule, Span
from .spoken_secrets import END, SAID

# Four letters each, so that "an app password that will work with …" is none.
FOUR_WORDS = """
that will work with this your from when have does them they then than what here just only also into need each
must some more most like used uses make sure open mail gmail been were page link help step type code next back
over once user name same time very long show save apps
"""
FOUR = frozenset(FOUR_WORDS.split())
INSTEAD = late(
    r"(?i)\b(?:enter|your|please|must|should|choose|random|words?|use|using|something|characters?|for|the|and|not|with|"
    r"is|are|a|to|of|an|in|you|can|will|this|that|it|my|i|we|at|least|four|five|six|long|key|file|prompt)\b"
)


OPEN_KEY = late(
    r"(?i)(?:public|primary|foreign|cache|sort|partition|idempotency|object|row|hash|lookup|s3|page|next|csrf|routing|"
    r"range|dedup\w*|host|pgp|gpg|rsa|ssh)[ _-]$"
)


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _app(match: re.Match[str]) -> Span | None:
    """Groups of four that are no words."""
    groups = re.split(r"[ -]", match["value"].lower())
    return None if any(group in FOUR for group in groups) or len(set(groups)) < 3 else match.span("value")


def _network(match: re.Match[str]) -> Span | None:
    """The key of a wireless network: letters and digits, or many digits."""
    value = END.sub("", match["value"])
    digits = sum(c.isdigit() for c in value)
    good = digits == len(value.replace(" ", "").replace("-", "")) >= 8 or (len(value) >= 6 and _mixed(value))
    if not good or is_placeholder(value) or re.fullmatch(r"(?i)wpa\d.*|802.*|https?:.*|\d+(?:ghz|mbps|g|m)", value):
        return None
    return match.start("value"), match.start("value") + len(value)


def _words(match: re.Match[str]) -> Span | None:
    """Three to eight words in a row that make no sentence."""
    return None if INSTEAD.search(match["value"]) else match.span("value")


def _said_key(match: re.Match[str]) -> Span | None:
    """A long run that nobody would write as a word, unless the key is one that everybody may see."""
    before = match.string[max(0, match.start() - 24) : match.start()]
    if OPEN_KEY.search(before) or re.search(r"[A-Za-z0-9_.?&/-]$", before):
        return None
    value = match["value"].rstrip("=.-")
    sure = (drawn(value) or jumbled(value)) and not re.fullmatch(r"[A-Za-z]+(?:[-_][A-Za-z0-9]+)*", value)
    plain = drawn(value) and re.fullmatch(r"[A-Za-z0-9]+", value) is not None
    return match.span("value") if sure or plain else None


def _beside(match: re.Match[str]) -> Span | None:
    """The password beside a user that everybody knows."""
    value = END.sub("", match["value"])
    good = _mixed(value) and not is_placeholder(value) and not re.fullmatch(r"v?\d+(?:\.\d+)*\w{0,3}|\d+\w{1,2}", value)
    return (match.start("value"), match.start("value") + len(value)) if good and len(value) >= 5 else None


def _initials(match: re.Match[str]) -> Span | None:
    """`P: …`, where `U: …` stands before it on the line or above."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    return _beside(match) if re.search(r"(?i)(?<![a-z])u(?:ser)?: ?\S+[\s,;/|]*$", before) else None


def _word(match: re.Match[str]) -> Span | None:
    """One word after "as root with password", where the sentence ends."""
    value = END.sub("", match["value"])
    after = match.string[match.end("value") : match.end("value") + 1]
    ends = after in ("", "\n") or len(value) != len(match["value"]) or _mixed(value)
    none = (
        value.lower() in SAID
        or value.lower() in EMPTY
        or is_placeholder(value)
        or value.endswith(("ed", "ing", "tion"))
    )
    return (match.start("value"), match.start("value") + len(value)) if ends and not none and len(value) >= 4 else None


def _changed(match: re.Match[str]) -> Span | None:
    """The new value, where a password was spoken of shortly before."""
    before = match.string[max(0, match.start() - 80) : match.start()].lower()
    value = END.sub("", match["value"])
    spoken = re.search(r"passw|passcode|\bpw\b|\bpin\b", before) is not None
    good = (_mixed(value) or any(c in "!@#$%^&*_+=~?" for c in value)) and not is_placeholder(value)
    return (match.start("value"), match.start("value") + len(match["value"])) if spoken and good else None


IS = r"\s?(?:is|was|are|ist|lautet|est|es|è|é|:|=|-|–|→|->)\s?:?"
# fmt: off
PHRASES = (
    Rule("password", "app password: groups of four letters or digits", ("app password", "app-password", "app-specific password", "app specific password", "application password", "app passwort", "app-passwort", "anwendungspasswort", "app_password", "apppassword", "application_password"),
         late(r"(?i:app(?:lication)?[ _-]?(?:specific )?passw(?:ord|ort)|anwendungspasswort)[^\n]{0,40}?[^A-Za-z0-9](?P<value>(?:[a-z0-9]{4}[ -]){3}[a-z0-9]{4}|(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4})(?![A-Za-z0-9])"), cut=_app, rank=1),
    Rule("password", "key of a wireless network", ("wifi", "wi-fi", "wlan", "ssid", "wpa"),
         late(rf"(?i:wi-?fi|w-?lan|ssid|wpa\d?)[^\n]{{0,80}}?(?i:(?<![a-z])(?:wpa\d?[ -])?(?:key|code|psk|pw|pass)|schlüssel|netzwerkschlüssel)(?:{IS}|\s)\s?[\"'`“*]?(?P<value>\d{{4}}(?:[ -]\d{{4}}){{2,5}}|[^\s\"'`“”,]{{6,63}})"), cut=_network, rank=0),
    Rule("password", "pass phrase of several words", ("passphrase", "pass phrase", "pass-phrase"),
         late(r"(?i:pass[ -]?phrase)(?i:\s?(?:[:=]|is:?|was)\s{1,2})[\"'`“]?(?P<value>[a-z]{2,12}(?:[ -][a-z0-9]{2,12}){2,7})(?=[\"'`”.!,;]|\s?$|\n)", re.MULTILINE), cut=_words, rank=1),
    Rule("api-key", "key or token said some words after its name", ("key", "token", "secret"),
         late(rf"(?i:key|token|secret)(?:(?:[ \t]+[^\s.!?,;:=\d\"'`/]{{1,20}}){{0,7}}?{IS}[ \t]*|[ \t]+(?i:(?:that |which )?(?:you need|you asked for|i use|we use|here|below|now|again|for you)):?[ \t]+)[\"'`“*]{{0,3}}(?P<value>[A-Za-z0-9][A-Za-z0-9+/_=-]{{19,200}})(?![\w/+-])"), cut=_said_key, drawn=True, rank=0),
    Rule("login-pair", "well-known user name and the password next to it", ("admin:", "admin / ", "root:", "root / ", "administrator:", "guest:", "demo:", "admin/", "root/", "user ", "account "),
         late(r"(?i:(?:(?<![\w./@-])(?:admin|root|administrator|guest|demo)|(?<![a-z])(?:user|account) [\w.@+-]{2,40}))(?::| / |(?<=admin)/|(?<=root)/)(?P<value>[^\s:/\"'`,]{5,64})(?![:/\w])"), cut=_beside, rank=0),
    Rule("login-pair", "e-mail address and the password next to it", ("@",),
         late(r"(?i:@[a-z0-9-]{1,40}(?:\.[a-z0-9-]{2,20}){1,3})(?::| / | \| )(?P<value>[^\s:/\"'`,|]{6,64})(?![:/\w])"), cut=_beside, rank=0),
    Rule("login-pair", "user and password abbreviated to their first letters", (" p: ", "\np: ", " pw: "),
         late(r"(?i:\spw?: )(?P<value>[^\s:/\"'`,]{5,64})"), cut=_initials, rank=0),
    Rule("password", "key of a wireless network after its name", ("wifi: ", "wlan: ", "ssid: ", "wi-fi: "),
         late(r"(?i:wi-?fi|wlan|ssid): [^\n/|]{1,40} [/|] (?P<value>[^\s\"'`]{8,63})"), cut=_network, rank=0),
    Rule("password", "password said with a user", ("with password ", "with the password ", "and password ", "mit passwort ", "mit dem passwort ", "and the password ", "using password "),
         late(r"(?i:(?<=[\w.@\"'`,] )(?:with|and|mit|using)(?: the| dem)? passwor[dt]) [\"'`“]?(?P<value>[^\s\"'`“”]{4,64})"), cut=_word, rank=0),
    Rule("password", "password before the word for it", ("as my pass", "as the pass", "as a pass", "for my pass", "as his pass", "as her pass", "as their pass", "als passwort", "as our pass", "as your pass"),
         late(r"(?i:(?<![a-z])(?:used|uses|had|put|set|try|tried|type|typed|keep|kept|chose|nimm|nutze|use)) [\"'`“](?P<value>[^\"'`“”\n]{4,64})[\"'`”] (?i:(?:as|for|als) (?:the |my |your |our |his |her |their |a |mein )?pass)"), anywhere=True, check=lambda v: not is_placeholder(v), group="value", rank=0),
    Rule("password", "new password right after it is said to have changed", ("changed it to ", "set it to ", "updated it to ", "switched it to ", "geändert in "),
         late(r"(?i:(?:changed|set|updated|switched) it to|geändert in) [\"'`“]?(?P<value>[^\s\"'`“”]{4,64})"), cut=_changed, rank=0),
    Rule("code", "one-time password of digits", ("one-time pass", "one time pass", "einmalpasswort"),
         late(r"(?i:one[- ]time pass(?:word|code)|einmalpasswort)(?:\s[^\s\d]{1,20}){0,5}?[:\s]\s?(?P<value>\d{3}[ -]?\d{1,5})(?![\d\w])"), group="value", rank=0),
    Rule("code", "verification code", ("to verify", "to confirm", "to log in", "to sign in"),
         late(r"(?i:(?<![a-z])(?:use|enter|type) (?:code )?)(?P<value>\d{3}[ -]?\d{1,5})(?i: to (?:verify|confirm|log ?in|sign in))"), anywhere=True, group="value", rank=0),
    Rule("code", "code before its name", ("code", "otp", "r pin", "e pin", "password", "código"),
         late(r"(?<![\w.,$€£-])(?:[A-Z]{1,2}-)?(?P<value>\d{3}[ -]?\d{1,5})(?i: (?:is|as|ist|est|es) (?:your|ihr|dein|votre|tu) (?:[^\s.!?]{1,20} ){0,4}(?:code|otp|pin|passcode|password|bestätigungscode|código)(?![a-z]))"), anywhere=True, group="value", rank=0),
)
