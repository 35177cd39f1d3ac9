"""Secrets known by their structure: key blocks, JWTs, URLs with passwords, headers, cookies, files of credentials."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re
from base64 import b64decode

from ...patterns import late
from ..judge import drawn, is_password_placeholder, is_placeholder
from ..rule import Rule, Span
from .shape import EDGE, exact, shape

BLOCK = 20_000  # characters; the longest RSA keys in use take 13,000
FOOT = late(
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2[A-Z ]{0,40}----|Private-MAC: [0-9a-f]{40,64}"
)
KEY_LINE = late(r"[A-Za-z0-9+/]{16}")
LINES = late(r"(?:[A-Za-z0-9+/=\s\\:,.\"']|-(?!----))*")
MEMBER = late(r"\b[A-Za-z_$]{1,30}(?:\??\.[A-Za-z_$]{1,30})+$")  # what code reads the value from
NOBODY = late(r"(?i)^(?:(?:my|your|db|the)?[_-]?(?:user(?:name)?|login|name|account|id)|u|foo|x+|\*+|\.+|)$")


def _uri_password(match: re.Match[str]) -> Span | None:
    """What stands between user: and @; a word for a password is one where a named user has it (`root:password@`)."""
    user, value = match["user"], match["value"]
    if value.startswith(("//", "{", "$", "<", "%(", "[")) or "{" in user or "$" in user:
        return None
    word = is_password_placeholder(value) or value.lower() in ("bar", "user", "username")
    weak = re.fullmatch(r"(?i)pass(?:word)?|secret|pwd", value) is not None and not NOBODY.match(user)
    return match.span("value") if weak or not word else None


def _header(match: re.Match[str]) -> Span | None:
    """The credential of an Authorization header or after Bearer; a lone Bearer needs a value that looks drawn."""
    value = match["value"].rstrip(".,;:")
    start = match.start("value")
    if is_placeholder(value) or re.match(r"(?:[a-z]+=?|[A-Z][a-z]+)$", value):
        return None
    in_header = match["name"] is not None
    if in_header and MEMBER.search(match.string, max(0, start - 2), start + len(value)):
        return None  # request.headers.get("Authorization")
    enough = len(value) >= 8 if in_header else len(value) >= 12 and drawn(value)
    return (start, start + len(value)) if enough else None


def _phrase(match: re.Match[str]) -> Span | None:
    """12, 15, 18, 21 or 24 words of a seed phrase; only so many, since fewer are a sentence."""
    words = re.findall(r"[a-z]{3,8}", match["words"])
    sizes = [n for n in (24, 21, 18, 15, 12) if len(words) >= n]
    return match.span("words") if sizes and len(set(words)) > 8 and len(words) in (12, 15, 18, 21, 24) else None


def _block(match: re.Match[str]) -> Span | None:
    """From BEGIN to END; where END is missing, as far as lines of base64 go. A header with no key is none."""
    text, body = match.string, match.end()
    again = text.find("-----BEGIN", body, body + BLOCK)
    stop = FOOT.search(text, body, again if again >= 0 else body + BLOCK)
    if stop:
        return (match.start(), stop.end()) if KEY_LINE.search(text, body, stop.start()) else None
    run = LINES.match(text, body, body + BLOCK)
    return (match.start(), run.end()) if run and KEY_LINE.search(text, body, run.end()) else None


def _jwt(match: re.Match[str]) -> Span | None:
    """The token, unless it is in the address of a picture: it opens that picture only, and the link was shared for it."""
    before = match.string[max(0, match.start() - 30) : match.start()]
    picture = re.search(r"\.(?:jpe?g|png|gif|webp|avif)\?token=$", before)
    return None if picture or len(match[0]) < 40 or len(set(match[0])) < 12 else match.span()


def _cookie(value: str) -> bool:
    return drawn(value) and len(value) >= 12


SCHEME = r"(?:bearer|basic|token|apikey|api-key|digest|key|negotiate|bot|ssws|splunk|oauth)(?:\s{1,3}|[:=]\s?)"
# fmt: off
STRUCTURES = (
    Rule(
        "private-key",
        "private key block: RSA, EC, DSA, OpenSSH, PKCS#8, PGP, PuTTY; also one that is cut off",
        ("-----begin", "---- begin ssh2", "putty-user-key-file"),
        late(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d"),
        cut=_block,
        rank=3,
    ),
    Rule(
        "encoded-private-key",
        "private key block in base64, as in kubeconfig files",
        ("ls0tls1crudjti",),
        late(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,20000}={0,2}"),
        check=lambda v: b"PRIVATE KEY" in b64decode(v[:64]),
        drawn=True,
    ),
    exact("age-key", "age secret key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,60}"),
    Rule(
        "wireguard-key",
        "WireGuard private or preshared key",
        ("privatekey", "presharedkey", "private_key", "private-key", "preshared-key"),
        late(r"(?i:private|preshared)(?i:[_-]?key)[\"']?\s{0,3}[=:]\s{0,3}[\"']?([A-Za-z0-9+/]{42}[A-Za-z0-9+/=]=)(?![A-Za-z0-9+/=])"),
        group=1,
        check=lambda v: len(set(v)) >= 12,
        drawn=True,
    ),
    Rule(
        "crypto-private-key",
        "private key of a wallet, by context",
        ("private key", "private_key", "privatekey", "privkey", "wallet key", "private-key"),
        late(r"(?i:priv(?:ate)?[_ -]?key|wallet key)[^\n]{0,25}?[\s=:\"'`](0x[0-9a-fA-F]{64}|[0-9a-fA-F]{64}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|xprv[1-9A-HJ-NP-Za-km-z]{100,112})(?![0-9A-Za-z])"),
        group=1,
        check=drawn,
        drawn=True,
    ),
    shape("extended-key", "extended private key of a wallet", "xprv", r"[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    Rule(
        "jwt",
        "JSON web token",
        ("eyj",),
        late(EDGE + r"eyJ[\w-]{8,4000}\.(?:eyJ[\w-]{8,8000}\.[\w-]{0,2000}|[\w-]{0,1000}\.[\w-]{8,400}\.[\w-]{8,8000}\.[\w-]{8,200})"),
        cut=_jwt,
        drawn=True,
    ),
    Rule(
        "uri-password",
        "password in a URL: database, broker, proxy, git remote, basic authentication",
        ("://",),
        late(r"://(?P<user>[^\s:/@\"'`<>?#]{0,120}):(?P<value>[^\s/\"'`<>]{1,200}?)@(?=[\w\[$%-])"),
        cut=_uri_password,
        rank=1,
    ),
    Rule(
        "uri-token",
        "token in the place of a user in a URL",
        ("://",),
        late(r"://([\w-]{20,255})@(?=[A-Za-z0-9])"),
        group=1,
        check=drawn,
        rank=1,
    ),
    Rule(
        "authorization",
        "credential of an Authorization header or after Bearer",
        ("authorization", "bearer"),
        late(
            r"(?i:(?P<name>authorization)[\"'\]\\]{0,3}\s{0,3}[:=,]\s{0,3}[bfr]?\\?[\"'`]?(?:" + SCHEME + r")?|(?<![a-z])bearer(?:\s{1,3}|[:=]\s?))"
            r"(?i:token[ =])?\\?[\"'`]?(?P<value>[A-Za-z0-9_~+/.=:%|!-]{6,4000})"
        ),
        cut=_header,
        rank=0,
    ),
    Rule(
        "basic-auth",
        "user and password of HTTP basic authentication, base64",
        ("basic ",),
        late(r"(?<![A-Za-z])[Bb]asic ([A-Za-z0-9+/]{12,400}={0,2})(?![A-Za-z0-9])"),
        group=1,
        check=lambda v: drawn(v) or (v.endswith("=") and not is_placeholder(v)),
        rank=1,
        drawn=True,
    ),
    Rule(
        "authorization",
        "answer of HTTP digest authentication",
        ("digest ",),
        late(r"(?i:digest) [^\n]{0,600}?(?i:response)=\\?\"?([0-9a-f]{32,64})(?![0-9a-f])"),
        group=1,
        rank=1,
        drawn=True,
    ),
    Rule(
        "aws-signature",
        "signature of a signed request",
        ("signature=", "x-amz-signature", "x-amz-credential"),
        late(r"(?i:signature)=([0-9a-f]{64})"),
        group=1,
        drawn=True,
    ),
    Rule(
        "session-cookie",
        "session cookie",
        ("sess", "sid=", "connect.sid", "auth=", "jwt=", "remember", ".aspnetcore", "__secure-", "__host-"),
        late(r"(?i:[\w.-]{0,30}?(?:sess(?:ion)?(?:[_-]?(?:id|key|token))?|sid|auth|jwt|remember\w{0,20}|(?:\.aspnetcore|__secure-|__host-)[\w.-]{1,40}))=(?:s%3A)?([\w%.+/=~:-]{12,2000})"),
        group=1,
        check=_cookie,
        rank=0,
        drawn=True,
    ),
    Rule(
        "netrc",
        "password in a .netrc line",
        ("machine ", "login "),
        late(r"(?:machine\s+\S{1,100}\s+)?login\s+\S{1,100}\s+password\s+(\S{3,200})"),
        group=1,
        check=lambda v: not is_placeholder(v),
        rank=1,
    ),
    Rule(
        "pgpass",
        "password in a .pgpass line",
        (":5432:", ":5433:", ":6432:", ":*:", ":3306:"),
        late(r"(?<=[\w*.-]):(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.@-]{1,64}:([^\s:]{3,100})(?=\s|$)"),
        group=1,
        check=lambda v: not is_placeholder(v),
        rank=1,
    ),
    Rule(
        "htpasswd",
        "hashed password: crypt, bcrypt, argon2, scrypt, PBKDF2",
        ("$2a$", "$2b$", "$2y$", "$apr1$", "$5$", "$6$", "$argon2", "$1$", "$y$", "pbkdf2_sha256$", "$scrypt$"),
        late(r"(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:apr1|1|5|6|y)\$[^\s:$]{1,60}\$(?:[^\s:$]{1,40}\$)?[./A-Za-z0-9]{20,90}|\$argon2i?d?\$[^\s\"']{20,200}|pbkdf2_sha256\$\d+\$[\w+/=]{8,60}\$[\w+/=]{20,90}|\$scrypt\$[^\s\"']{20,200})"),
        check=lambda v: len(set(v)) > 12,
        rank=1,
        drawn=True,
    ),
    Rule(
        "seed-phrase",
        "seed phrase of a wallet: 12 to 24 words after its name",
        ("seed phrase", "mnemonic", "recovery phrase", "seed words", "wallet seed", "backup phrase", "secret phrase", "wiederherstellungsphrase", "phrase de récupération", "frase semilla", "frase de recuperación", "seed"),
        late(r"(?i:(?:seed|recovery|backup|secret)[ _-]?(?:phrase|words)|mnemonic(?:[ _-]phrase)?|wallet seed|seed|wiederherstellungsphrase|phrase de récupération|frase (?:semilla|de recuperación))[^\n:=\"]{0,30}?(?:\s{0,3}[:=\"]|\sis|\sist|\sest|\ses)[\s\"'`*]{0,6}(?P<words>(?:\d{1,2}[.)]\s?)?[a-z]{3,8}(?:[\s,]{1,3}(?:\d{1,2}[.)]\s?)?[a-z]{3,8}){11,23})(?![a-z])"),
        cut=_phrase,
        rank=1,
    ),
    Rule(
        "recovery-codes",
        "one-time recovery codes after their name",
        ("recovery code", "backup code", "rescue code", "scratch code", "wiederherstellungscode", "codes de secours", "códigos de respaldo", "código de recuperación", "recovery key"),
        late(r"(?i:(?:recovery|backup|rescue|scratch)[ -](?:code|key)s?|wiederherstellungscodes?|codes de secours|códigos de respaldo|código de recuperación)[^\n\d:]{0,40}(?::|\sis|\sare|\slautet)?[\s*\-•\d.)`\"]{0,6}?((?=[A-Za-z-]*\d)[A-Za-z0-9]{4,10}(?:[- ]?(?=[A-Za-z]{0,9}\d)[A-Za-z0-9]{4,10}){0,7}(?:[\s,;*•-]{1,5}(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{3,10}){0,7}){0,16})"),
        group=1,
        check=lambda v: sum(c.isdigit() for c in v) >= 2 and len(v) >= 6,
        rank=1,
    ),
)
