"""Key-value pairs: `password = …`, `"api_key": "…"`, `TOKEN=…`, `--secret …`, `<password>…`, `?token=…`.

The pattern finds a name and what joins it to a value; the value is cut out and judged here, because what is
a secret depends on the name, on quotes, and on whether it reads like code, like a label or like prose.
"""

# ruff: noqa: E501
from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from ..patterns import late
from .judge import EMPTY, drawn, entropy, is_placeholder
from .rule import Rule, Span

JOIN = (
    r"(?P<tail>[A-Za-z0-9_-]{0,40})"
    r"(?:[ ]\([^()\n]{1,20}\)(?=:))?(?P<join>\s?:\s?[A-Za-z_][\w\[\]<>?|.]{1,24}\s?=\s?(?=[bfru]?[\"'`])|[\"']\s?/?>(?=[^\s<>])"
    r"|\\?[\"'`\])*]{0,4}[ \t]{0,8}(?:=>|:=|\?=|===?|=|:|->|→)(?![=:])\*{0,2}\s{0,2}[ \t]{0,20}"
    r"|\\?[\"']\s?,\s?(?=\\?[\"'])|\((?=[\"'])|>(?=[^\s<>])|\s?\|\s?|[\"']?\s{0,2}[,{]?\s{1,24}[\"']?(?:value|default)[\"']?\s?[:=]\s?|:\s?[|>]-?\n\s{1,12}|\s{1,2}(?=\S))"
    r"(?:(?:String::from|new String|(?:std::)?string|SecretStr|Secret|bytes|b64decode|Buffer\.from|atob|Some)\((?=[bfru]?[\"']))?"
    r"(?P<open>[bfruBFRUL@$]{0,2}\\{0,3}[\"'`]|\*\*`?)?"
)
NAME = late(r"(?:\b(?:name|key|id)=)?[A-Za-z0-9_.$\[\"'-]*$")
# Names that hold a key word but no secret: what it is called, how long it is, where it lies, how it is shown.
NO_TAIL = late(
    r"[_-]?(?:s$|s[_-]|name|ids?$|id[_-]|type|ur[il]|path|file|dir|field|len|size|count|limit|max|min|expir|ttl|age$|"
    r"endpoint|header|prefix|suffix|label|placeholder|hint|policy|reset|version|format|algo|ref$|refs|class|model|iz|"
    r"manager|provider|service|store|arn|regex|pattern|require|enabled?|valid|strength|input|confirm(?!ation)|prompt|"
    r"less|ation|ing$|help|desc|message|error|status|state|index|budget|usage|used|per|rate|window|price|cost|"
    r"env|var$|map$|list|source|scope|issuer|bucket|change|forgot|recover|visib|toggle|show|hide|text$|column|"
    r"generator|check|rules?$|length|digits|chars?$|kind|group|role|update|creat|last|rotat|param|option|config|set$|"
    r"mask|sanit|redact|filter|pos|emb|dim|owner|board|word|stone|frame|press|down|up$|code$|pair|ring|note)",
    re.IGNORECASE,
)
NO_HEAD = late(
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))(?:max|min|num|total|prompt|completion|input|output|next|prev|page|continuation|cancellation|cancel|sync|pad|eos|"
    r"bos|sep|unk|mask|cls|special|stop|start|end|first|last|cached|context|count|public|pub|forgot|reset|has|is|use|"
    r"show|hide|toggle|no|without|new_line|design|theme|color|css|lex|syntax|is_valid|validate|verify|check|hash|get|"
    r"generate|create|make|fetch|load|read|parse|find|delete|remove|revoke|refresh_expires)[_.-]?$",
    re.IGNORECASE,
)
KEY_HEAD = late(
    r"(?:api|access|secret|private|priv|sign(?:ing)?|encrypt(?:ion)?|crypt|cipher|master|licen[sc]e|auth|service|account|"
    r"storage|shared|hmac|jwt|webhook|deploy|admin|root|app(?:lication)?|client|consumer|subscription|session|cookie|"
    r"security|aes|bot|maps|integration|fernet|data)[_ -]?$",
    re.IGNORECASE,
)
# A reference rather than a value: a call, a member, an index, a type, a path, an address of something.
CODE = late(
    r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*\s?[(\[{]|[A-Za-z_$][\w$]*(?:(?:\.|->|\?\.)[A-Za-z_$][\w$]*)+$|"
    r"\$[A-Za-z_{(]|[({\[<&*|!]|https?:|[a-z]+://|(?:\.{0,2}|~)/[\w.]|[A-Za-z]:\\|[\w.+-]+@[\w-]+\.[a-z]+$|"
    r"[\w-]+\.(?:json|txt|pem|key|ya?ml|env|js|ts|py|toml|ini|cfg|md|html?|pdf|png|crt|go|rs|java|php)$|\d+(?:\.\d+)+$",
)
WORDS = late(r"(?:v?\d{0,4}|[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+)(?:[-_./: ](?:v?\d{1,4}|[a-z]+|[A-Z]+|[A-Z][a-z]+))*")
CAMEL = late(r"[a-z]+(?:[A-Z][a-z]+)*|(?:[A-Z][a-z]+)+")
SENTENCE = late(
    r"(?i)\b(?:enter|your|please|must|should|forgot|invalid|incorrect|required|characters?|least|password|passwort|token|secret|"
    r"contraseña|for|the|and|not|with|click|here|is|a|to|of|an|in|you|can|will|this|that|cannot|missing)\b"
)
PICTURE = late(r"\.(?:jpe?g|png|gif|webp|avif)\?$")  # a token that opens one picture, in the link that was shared
FOLDER = late(r"(?:(?<![A-Za-z0-9_])|OLD)PWD$")  # where a shell is
TAG = late(r"(?:name|key|id)=[\"'][\w.-]*$")  # <property name="db.password">…</property>
SQL_TYPE = late(r"(?i)(?:n?var)?char(?:acter varying)?\(?|text\b|varbinary|blob\b")
SETS = late(r"(?:define|env|set\w*|put\w*|property)\(\s?$", re.IGNORECASE)
SPECIAL = frozenset("!@#$%^&*?+~=§€£")


def _value(match: re.Match[str]) -> tuple[str, int, bool, str]:
    """(value, where it starts, quoted?, what follows it) of a match that ends where the value begins."""
    text, start = match.string, match.end()
    rest = text[start : start + 500]
    quote = (match["open"] or "").lstrip("bfruBFRUL@$")
    if quote:
        shut = rest.find(quote)
        if shut >= 0 and "\n" not in rest[:shut]:
            return rest[:shut], start, True, rest[shut + len(quote) :][:2]
    run = re.match(r"[^\s\"'`<>]*", rest)
    value = run[0] if run else ""
    value = re.split(r"\\[nrt\"']|;|,(?=[\w\"' -]+[=:])", value, maxsplit=1)[0]
    if re.search(r"[?&][\w.-]*$", text[max(0, match.start() - 60) : match.start()]):
        value = re.split(r"[&#]", value, maxsplit=1)[0]
    value = re.sub(r"(?<![=])[.,:)}\]*|\\]+$", "", value)
    return value, start, False, rest[len(value) : len(value) + 2]


def _in_call(text: str, at: int) -> bool:
    """Between parentheses that are still open on this line, where an unquoted word is a variable."""
    line = text[text.rfind("\n", max(0, at - 300), at) + 1 : at] if at else ""
    return line.count("(") > line.count(")")


def _words(value: str) -> bool:
    """A name made of words: my-tls-secret, userToken, prod/db/password."""
    return WORDS.fullmatch(value) is not None or CAMEL.fullmatch(value) is not None


def _mixed(value: str) -> bool:
    letters = any(c.isalpha() for c in value)
    return letters and (any(c.isdigit() for c in value) or any(c in SPECIAL for c in value[:-1]))


def _password(value: str, quoted: bool, loose: bool, ends: bool) -> bool:
    """Could be a password that somebody chose."""
    if quoted:
        words = value.split()
        if len(words) > 1:
            return (3 <= len(words) <= 8 and not SENTENCE.search(value)) or (len(words) == 2 and _mixed(value))
        return len(value) >= 4
    if len(value) < (3 if loose else 4):
        return False
    if value.isdecimal():
        return len(value) <= 63 and ends
    if _mixed(value):
        return True
    return loose or (ends and len(value) >= 6 and value.isalpha() and value.lower() not in EMPTY)


def _key(value: str, quoted: bool, loose: bool, ends: bool) -> bool:
    """Could be a key or token that a machine drew."""
    if " " in value or len(value) < 8:
        return False
    if drawn(value) and not WORDS.fullmatch(value):
        return len(value) >= 16 or (entropy(value) >= 2.7 and (loose or quoted or len(value) >= 10))
    return len(value) >= 20 and entropy(value) >= 3.8 and not _words(value) and any(c.isupper() for c in value)


def _prose_key(value: str) -> bool:
    """Nothing joins it to its name but a space, so it must look drawn beyond doubt."""
    return (
        len(value) >= 16 and drawn(value) and re.fullmatch(r"[A-Za-z0-9+_=-]+", value) is not None and not _words(value)
    )


def _secret(value: str, quoted: bool, loose: bool, ends: bool) -> bool:
    """A key, or a word or phrase chosen as a secret."""
    if _key(value, quoted, loose, ends):
        return True
    if quoted and len(value.split()) <= 4:
        return len(value) >= 6 and not SENTENCE.search(value) and not re.search(r"[-_/:.][a-z]", value)
    return (loose and len(value) >= 8 and not re.search(r"[-_/:.]", value)) or (
        len(value) >= 6 and _mixed(value) and not _words(value)
    )


Judge = Callable[[str, bool, bool, bool], bool]


def _cut(judge: Judge, kind: str, match: re.Match[str]) -> Span | None:
    """The span of the value if name, join and value speak of a secret."""
    text, at = match.string, match.start()
    before = NAME.search(text, max(0, at - 40), at)
    head = before[0] if before else ""
    tail, join = match["tail"], match["join"]
    if (
        NO_TAIL.match(tail)
        or NO_HEAD.search(head)
        or (kind == "key" and not KEY_HEAD.search(text[max(0, at - 14) : at]))
    ):
        return None
    if kind == "auth" and not (tail in ("", "-key", "_key", "key", "Key") and not re.search(r"[A-Za-z0-9]$", head)):
        return None
    if PICTURE.search(text, max(0, at - 30), at):
        return None
    if "arn:" in head or re.search(r"arn:[\w:*/-]*$", text[max(0, at - 80) : at]):
        return None
    value, start, quoted, after = _value(match)
    if ")" in join and "=" in join:  # md5("password") = …: what a function made of the word
        return None
    if join[-1] == ">" and ((after[:1].strip() and after[:1] != "<") or (join != ">" and not TAG.search(head))):
        return None
    if FOLDER.search(text, max(0, at - 3), at + 3) and value.startswith("/"):
        return None
    if SQL_TYPE.match(value) or (join == ">" and value.startswith("@")):
        return None
    if (
        not value
        or is_placeholder(value)
        or (not quoted and CODE.match(value))
        or (value[0] in ":=,.|-" and not quoted)
    ):
        return None
    blank = join.isspace()
    flag = re.search(r"(?:^|\s)--?[\w-]*$", text[max(0, at - 30) : at]) is not None and not value.startswith("-")
    named = quoted and " " not in value and (_mixed(value) or head[-1:].isalpha()) and len(value) >= 4
    if blank and not flag and not named and not (kind != "password" and _prose_key(value)):
        return None
    if (
        quoted
        and CODE.match(value)
        and re.match(r"https?:|/|\.|~|[\w.+-]+@|[\w-]+\.[a-z]{2,4}$", value)
        and kind != "password"
    ):
        return None
    if (
        "," in join
        and quoted
        and kind == "password"
        and SETS.search(text[max(0, at - len(head) - 20) : at - len(head)])
    ):
        return (start, start + len(value)) if judge(value, True, False, False) else None
    if "," in join or "(" in join or "|" in join:
        return (
            (start, start + len(value))
            if _mixed(value) and len(value) >= 6 and judge(value, quoted, False, False)
            else None
        )
    name = head + match[0][: match.start("join") - at]
    front = text[max(0, at - len(head) - 12) : at - len(head)]
    line_start = not front.rpartition("\n")[2].strip(" \t-")
    tight = "=" in join and not join.strip("=").strip()
    loose = not quoted and (
        (tight and name.isupper())
        or (tight and (line_start or after[:1] == ";" or front[-1:] in ("?", "&", ";")))
        or blank
        or join[-1] == ">"
        or "value" in join
        or (tight and kind == "password" and not _in_call(text, at))
    )
    ends = not after.strip() or after[:1] in "\n;" or (after[:1] in ".,)" and not after[1:].strip())
    if not quoted and not loose and _words(value) and not ends:
        return None
    return (start, start + len(value)) if judge(value, quoted, loose, ends) else None


def _pair(id: str, description: str, kind: str, keywords: tuple[str, ...], judge: Judge, name: str = "") -> Rule:
    names = name or "|".join(re.escape(word) for word in keywords)
    pattern = late(rf"(?i:{names}){JOIN}")
    return Rule(id, description, keywords, pattern, cut=partial(_cut, judge, kind), rank=0)


PAIRS = (
    _pair(
        "password",
        "value of a password, passphrase or the like",
        "password",
        (
            "password",
            "passwd",
            "passwort",
            "kennwort",
            "passphrase",
            "passcode",
            "pwd",
            "contraseña",
            "contrasena",
            "mot de passe",
            "mot_de_passe",
            "motdepasse",
            "mdp",
            "senha",
            "clave",
            "_pass",
            "pass:",
            "pass=",
            "pass =",
            "pw =",
            'pass":',
            "pass':",
            "--pass",
            "userpass",
            "pw:",
            "pw=",
            "passw:",
            "pass |",
            "schlüssel",
        ),
        _password,
        r"password|passwd|passwort|kennwort|passphrase|passcode|pwd|contrase[ñn]a|mot[ _]?de[ _]?passe|mdp|senha|clave|(?<![a-z])_pass|_pass|--pass|userpass|schlüssel|(?<![a-z])passw?(?=[:=\"' ])|(?<![a-z])pw(?=\s?[:=])",
    ),
    _pair("api-key", "value of an API key or another named key", "key", ("key",), _key),
    _pair("secret", "value of a secret", "secret", ("secret", "geheimnis"), _secret),
    _pair("token", "value of a token", "token", ("token",), _key),
    _pair("credential", "value of auth, a credential or credentials", "auth", ("auth", "credential", "creds"), _key),
)
