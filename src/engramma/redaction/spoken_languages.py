"""Passwords and PINs as they are said in other languages than English: the word, some words between, the value.

German, French, Spanish and Portuguese say it in the order of English and are read by `spoken_secrets` too. What is
between the word and the value has to lead to it ("是", "は", "это", a colon), or be nothing but whose it is, so that
"пароль от Gmail" and "mijn wachtwoord is te lang" are left alone.
"""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re
from dataclasses import dataclass

from ..patterns import late
from .judge import is_placeholder
from .rule import Rule, Span
from .spoken_secrets import SAID, secret_span

# The words for a password, in small letters, without the endings that they take.
SPACED_WORDS = (
    "wachtwoord", "hasło", "hasłem", "haslo", "lösenord", "adgangskode", "passord", "heslo", "salasana", "şifre", "sifre", "jelszó", "jelszav", "parola", "parolum", "parool",
    "lozink", "лозинк", "парола", "slaptažod", "geslo", "kata laluan", "şifrə", "contrasinal", "contrasenya", "nenosiri", "lykilorð", "கடவுச்சொல்",
    "palavra-passe", "palavra passe", "mot de passe", "chiave del wifi", "chiave wifi", "parola d'ordine", "mật khẩu", "kata sandi", "katasandi", "sandi saya",
    "пароль", "пароля", "паролем", "код доступа", "κωδικός", "κωδικο", "סיסמה", "סיסמא", "הסיסמ",
    "كلمة المرور", "كلمة مرور", "كلمة السر", "كلمة سر", "رمز عبور", "पासवर्ड", "পাসওয়ার্ড", "পাসওয়ার্ড", "பாஸ்வேர்ட்", "پاس ورڈ",
)  # fmt: skip
UNSPACED_WORDS = (
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
    "รหัสผ่าน",
    "พาสเวิร์ด",
)
PIN_WORDS = (
    "pin ", "pin:", "pin=", "pin-", "pincode", "geheimzahl", "пин", "пін", "暗証番号", "पिन", "পিন", "الرقم السري", "رقم سري", "الرمز السري", "핀번호", "핀 번호", "รหัสพิน", "รหัส pin",
)  # fmt: skip

# What leads to the value, as the last word before it.
_LEADS = """
is ist lautet heißt est c'est c’est es era é è e to jest este sunt är er je on là adalah yaitu ialah olan это есть будет стоит такой это: це буде
является είναι ειναι היא הוא זה هي هو هى: است है हैं हुआ হলো হল হচ্ছে হয় ஆகும் је е yra
— – - → =
"""
LEADS = frozenset(_LEADS.split())
# What leads to it in one language only: elsewhere "és" is "and", and "ni" is "is not".
_OWN_LEADS = {"contrasenya": "és", "nenosiri": "ni"}
# Whose it is and what for: words that may stand between without leading to it.
_OWN = """
wifi wi-fi wlan mój moje moja mea mele mio mia mijn benim saya ku của tôi mình mới baru yeni nieuwe nowe nou nouă nuova μου mου του της το
мой моё мое мои новый мій моє новий שלי החדשה החדש الخاصة الخاص بي الجديدة الجديد الواي فاي الواي-فاي واي मेरा मेरी नया का वाईफ़ाई वाईफाई আমার নতুন ওয়াইফাই ওয়াইফাই
моја ми mano meu meva langu mənim mitt من என்
"""
OWN = frozenset(_OWN.split())
_UNSPACED_LEAD = re.compile(r"(?:[:：=＝]|是|就是|为|為|改成|改为|設為|设为|は|が|を|는|은|이|가|를|คือ|เป็น)\s*$")
_UNSPACED_OWN = re.compile(r"[\s的のとฉันผมของไวไฟ]*$")
# What may follow the digits of a PIN: the end, a stop, or what ends a sentence in its language.
_AFTER = re.compile(r"\s*(?:$|[\n.!?,;。，、！；।،؛\"'»」』”)）]|です|だ|で、|입|이에|예요|이야|है|হ|ครับ|ค่ะ|olarak)")

_MOST_BETWEEN = 6  # words between the one for a password and its value
_TOKEN = re.compile(r"\S+")
_OPENING = "\"'`“„«「『*("
_COLONS = ":：=＝"
_NARROW_OR_WIDE = "[!-~\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff20\uff03\uff04\uff05\uff06\uff0a\uff3f]"
_DIGITS = "0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19"
_SIGNS = frozenset("!@#$%^&*_+=~?")
_END = late(r"[.!?,;:)\]}*»”\"'`」』。，！؟،؛।]+$")
_ENGLISH_PIN = late(r"(?i)pin(?![a-z])(?:[ -]code)?(?: \S+){0,5} is ")  # `spoken_secrets` reads these
_NO_SECRET = late(r"(?i)https?:|www\.|[\w.+-]+@[\w-]+\.|\d+[-–/.:]\d+|\d+(?:st|nd|rd|th|x|%|k|m|g|gb|mb|am|pm)$|[(<\[]")


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A word that may be a value, and what stands before it."""

    text: str
    start: int
    is_quoted: bool
    has_lead: bool  # "is", a colon
    is_near: bool  # nothing stands between but whose it is
    after_colon: bool  # right after the word for it and a colon
    is_strange: bool  # in another script than the word for it


def value_span(string: str, one: SpokenValue) -> Span | None:
    """The value, if it is one: quoted, letters and digits mixed, a sign in it, or what ends the line after a colon."""
    value = _END.sub("", one.text)
    if len(value) < 4 or not (one.has_lead or one.is_near):
        return None
    if is_placeholder(value) or value.lower() in SAID or _NO_SECRET.match(value):
        return None
    span, end = secret_span(string, one.start, value), one.start + len(value)
    after = string[end : end + 24]
    if value.isdecimal():
        return span if one.is_quoted or _AFTER.match(after) else None
    is_mixed = len(value) >= 5 and any(c.isalpha() for c in value) and any(c.isdigit() for c in value)
    if one.is_quoted or is_mixed or not _SIGNS.isdisjoint(value):
        return span
    is_last = len(value) >= 5 and _AFTER.match(after) is not None and (not after[:1].isspace() or after.isspace())
    is_told = one.after_colon or (one.has_lead and one.is_strange and value.islower())
    return span if is_last and is_told else None


def _spaced(match: re.Match[str]) -> Span | None:
    """Of a language with spaces: the words between lead to the value, or say whose it is."""
    between, has_colon = list[str](), match["colon"] is not None
    leads = LEADS | {lead for word, lead in _OWN_LEADS.items() if match[0].lower().startswith(word)}
    for token in _TOKEN.finditer(match.string, match.start("rest"), match.end("rest")):
        text = token[0].lstrip(_OPENING)
        last = between[-1] if between else ""
        is_quoted, has_lead = len(text) < len(token[0]), has_colon or last in leads
        if is_quoted or has_lead or any(c.isdigit() for c in text):
            is_near = all(word in OWN or word in leads for word in between)
            is_strange = text.isascii() and not match[0][:3].isascii()
            start = token.end() - len(text)
            one = SpokenValue(text, start, is_quoted, has_lead, is_near, has_colon and not between, is_strange)
            if (span := value_span(match.string, one)) is not None or has_colon:
                return span
        if _END.search(text) and text[-1] not in _COLONS:
            return None
        has_colon = text[-1:] in tuple(_COLONS)
        between += [word] if (word := text.lower().rstrip(_COLONS)) else []
        if len(between) > _MOST_BETWEEN:
            return None
    return None


def _unspaced(match: re.Match[str]) -> Span | None:
    """Of a script without spaces: what is between ends with what leads to the value."""
    between = match["gap"] + (match["colon"] or "")
    has_lead, is_near = _UNSPACED_LEAD.search(between) is not None, _UNSPACED_OWN.match(between) is not None
    after_colon = match["colon"] is not None and not match["gap"]
    start, is_quoted = match.start("value"), bool(match["quote"])
    return value_span(
        match.string, SpokenValue(match["value"], start, is_quoted, has_lead, is_near, after_colon, is_strange=True)
    )


def _pin(match: re.Match[str]) -> Span | None:
    """Four to eight digits that end what is said."""
    words = match["gap"].lower().split()
    if _ENGLISH_PIN.match(match[0]):
        return None
    has_lead = match["colon"] is not None or (bool(words) and words[-1] in LEADS)
    is_near = all(word in OWN or word in LEADS for word in words)
    ends = _AFTER.match(match.string[match.end("value") : match.end("value") + 24]) is not None
    return match.span("value") if (has_lead or is_near) and ends else None


_QUOTE = r"(?P<quote>[\"'`“„«「『*]{0,2})"
_PIN_GAP = (
    r"(?P<gap>(?:[^\S\n]{1,2}[^\s\d:：=.!?。！？؟।,;،\"“”„«»「」『』`]{1,20}){0,5}?)(?P<colon>\s?[:：=＝])?[^\S\n]{0,2}"
)
# fmt: off
LANGUAGES = (
    Rule("password", "password said in a language with spaces", SPACED_WORDS,
         late(rf"(?i:{'|'.join(sorted(SPACED_WORDS, key=len, reverse=True))})[^\W\d_]{{0,8}}(?P<colon>\s?[:：=＝])?(?P<rest>[^\n]{{4,140}})"), cut=_spaced, rank=0),
    Rule("password", "password said in a script without spaces", UNSPACED_WORDS,
         late(rf"(?:{'|'.join(UNSPACED_WORDS)})(?P<gap>[^\d\n!-~\uff01-\uff5e。、，；「『“«]{{0,16}}?)(?P<colon>[:：=＝])?[^\S\n]{{0,2}}{_QUOTE}(?P<value>{_NARROW_OR_WIDE}{{4,64}})"), cut=_unspaced, rank=0),
    Rule("pin", "PIN said in another language", PIN_WORDS,
         late(rf"(?<![^\W\d_])(?i:pin|{'|'.join(sorted(filter(lambda word: not word.isascii() or word.isalpha(), PIN_WORDS), key=len, reverse=True))})(?:[- ]?(?i:code|kodum|kodu|kod|код|कोड|কোড)|は|은|는)?{_PIN_GAP}{_QUOTE}(?P<value>[{_DIGITS}]{{4,8}})(?![{_DIGITS}])"), cut=_pin, rank=0),
)
