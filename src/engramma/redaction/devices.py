"""Keys and passwords of network devices, chat servers, wallets and second factors, each in its own notation."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

import re

from ..patterns import late
from .commands import SENT, make_command_rule
from .judge import drawn, is_password_placeholder, is_placeholder
from .rule import Rule


def _key(value: str) -> bool:
    return drawn(value) and not is_placeholder(value)


# fmt: off
DEVICES = (
    make_command_rule("device-password", "password in the configuration of a router or switch", ("password 7 ", "password 5 ", "password 0 ", "isakmp key ", "radius-server ", "tacacs-server ", "password-value ", "snmpwalk ", "snmpget ", "secret 5 ", "secret 9 ", "key-string ", "pre-shared-key "),
             r"(?:(?:password|secret) [0579] |isakmp key (?:\d )?|(?:radius|tacacs)-server (?:host \S{1,60} )?key (?:\d )?|password-value |snmp(?:walk|get)\s[^\n]{0,60}?-c (?!(?:public|private)\b)|key-string (?:\d )?|pre-shared-key (?:ascii-text )?)" + SENT),
    make_command_rule("wifi-code", "password in the text of a wireless network's QR code", ("wifi:",),
             r"(?i:WIFI:)[^\n]{0,100}?P:((?:\\[;,:\"\\]|[^;\n]){3,64});"),
    make_command_rule("chat-password", "password sent to a chat server", ("nickserv identify ", "nickserv register ", "/oper ", "chanserv identify "),
             r"(?i:(?:nick|chan)serv (?:identify|register)|/oper \S{1,40}) " + SENT),
    Rule("totp-secret", "secret of a second factor", ("totp", "2fa", " mfa", "otp ", "otp:", "otp=", "authenticator", "base32", "two-factor"),
         late(r"(?<![A-Za-z0-9])(?i:totp|2fa|mfa|otp|authenticator|base32|two-factor)(?![A-Za-z0-9])[^\n]{0,40}?(?<![A-Za-z0-9])((?=[A-Z]*[2-7])[A-Z2-7]{16,64}|(?:[A-Za-z2-7]{4} ){3,15}[A-Za-z2-7]{4}|(?=[a-z]*\d)[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,7})(?![A-Za-z0-9])"),
         group=1, check=lambda v: any(c.isdigit() for c in v) and not is_placeholder(v), rank=0),
    Rule("crypto-private-key", "private key of a wallet: import format or a list of bytes", ("wif:", "wif ", "wif=", "keypair", "id.json", "secretkey", "secret_key"),
         late(r"(?i:wif|keypair|id\.json|secret_?key)[^\n]{0,40}?(?:(?<![A-Za-z0-9])([5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])|\[\s?(?=(?:\d{1,3},\s?){31,63}\d{1,3}\s?\])([\d, ]{90,330}))"),
         cut=lambda m: m.span(1) if m[1] else m.span(2), rank=1),
    Rule("seed-phrase", "seed phrase of a wallet after the wallet's name", ("metamask", "wallet", "ledger", "trezor", "phantom", "bip39", "bip-39"),
         late(r"(?i:metamask|wallet|ledger|trezor|phantom|bip-?39)[^\n:=\"]{0,30}?[:=\"][\s\"'`*]{0,6}([a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){3}){0,4})(?=\s?$|[\"'`.\n*])", re.MULTILINE),
         group=1, check=lambda v: len(set(v.split())) > 8 and not re.search(r"\b(?:the|and|you|your|for|with|that|this|are|not|from)\b", v), rank=1),
    Rule("htpasswd", "hashed password of an LDAP or htpasswd entry", ("{sha", "{ssha", "{crypt", "{md5", "{smd5"),
         late(r"\{(?i:s?sha(?:256|512)?|crypt|s?md5)\}([A-Za-z0-9+/=$.]{20,200})"), group=1, check=lambda v: len(set(v)) > 8, rank=1, drawn=True),
    Rule("session-cookie", "cookie of a WordPress login", ("wordpress_",),
         late(r"wordpress_(?:logged_in|sec)_[0-9a-f]{32}=([\w%|.+-]{20,400})"), group=1, drawn=True),
    Rule("amazon-mws-token", "Amazon MWS token", ("amzn.mws.",), late(r"amzn\.mws\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"), group=1, drawn=True),
    Rule("newrelic-key", "New Relic license key", ("nral",), late(r"(?<![A-Za-z0-9])(?:eu01xx)?[0-9a-fA-F]{32,36}NRAL(?![A-Za-z0-9])"), anywhere=True, check=_key, drawn=True),
    Rule("service-key", "key of OpenWeather", ("appid=",), late(r"(?i:appid)=([0-9a-f]{32})(?![0-9a-f])"), group=1, check=_key, drawn=True),
    Rule("api-key", "key by its name in other languages", ("clé", "chave", "chiave", "sleutel", "ключ", "klucz", "密钥", "キー", "nyckel"),
         late(r"(?i:clé|chave|chiave|sleutel|ключ|klucz|密钥|キー|nyckel)[^\n:=：]{0,30}?(?:[:=：]|\sest|\sè|\sé|\sis|是|は)\s{0,3}[\"'`]?([A-Za-z0-9][\w+/=.-]{15,200})"), group=1, check=_key, drawn=True, rank=0),
    Rule("piped-password", "token piped to a login command", ("echo ",),
         late(r"echo\s{1,2}(?:-n\s)?[\"']?([\w.=-]{16,300})[\"']?\s?\|\s?(?:gh auth login|wandb login|vault login|npm login|base64|pbcopy)"), group=1, check=lambda v: _key(v) and not is_password_placeholder(v), rank=1, drawn=True),
)
