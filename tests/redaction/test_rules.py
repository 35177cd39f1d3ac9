"""Every rule finds an example and passes over its look-alike."""

from __future__ import annotations

import base64
import random

import pytest

from engramma.redaction import PII, SECRETS, RuleSet, redact
from engramma.redaction.rule import ID

from .shapes import SHAPES, drawn, filler

# Rules that are not a shape: (what is masked, what is not).
HAND = {
    "private-key": (
        "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq9\n-----END RSA " + "PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIEpAIBAAKCAQEA7bq9\n-----END PUBLIC KEY-----",
    ),
    "encoded-private-key": (
        base64.b64encode(b"-----BEGIN RSA " + b"PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq9MIIEpAIBAAKCAQEA7bq9").decode(),
        base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA7bq9MIIEpAIBAAKCAQEA7bq9MII").decode(),
    ),
    "oracle-password": ("jdbc:oracle:thin:scott/tig3r99@//h:1521/x", "jdbc:oracle:thin:scott/<password>@//h:1521/x"),
    "seed-phrase": (
        "seed phrase: ribbon velvet orbit canyon lemon puzzle arrow mimic tunnel glance wood fabric",
        "seed phrase: write it down",
    ),
    "recovery-codes": ("recovery codes: 4f3a-91bc 77d0-e2a1", "recovery codes: ask your admin"),
    "curl-user": ("curl -u ana:Pass1234 https://example.org", "curl -u $USER:$PASS https://example.org"),
    "mysql-password": ("mysql -u root -pS3cretPw shop", "mysql -u root -p shop"),
    "sshpass": ("sshpass -p 'hunter2!' ssh ana@example.org", "sshpass -p $PW ssh ana@example.org"),
    "sql-password": ("CREATE USER a IDENTIFIED BY 'Gr33nTea'", "CREATE USER a IDENTIFIED BY '<password>'"),
    "require-pass": ("requirepass r3disPw99x", "requirepass <password>"),
    "secure-string": ('ConvertTo-SecureString "W1nd0ws!" -AsPlainText', "ConvertTo-SecureString $pw -AsPlainText"),
    "piped-password": ("echo 'sudoPw1x' | sudo -S apt update", "echo $PW | sudo -S apt update"),
    "auth-tuple": ('get(url, auth=("ana", "s3cr3t99"))', 'get(url, auth=("ana", "<secret>"))'),
    "tool-password": ("htpasswd -b .htpasswd ana Tomate9", "htpasswd -b .htpasswd ana $PASSWORD"),
    "device-password": ("radius-server key R4diu5", "radius-server key <key>"),
    "wifi-code": ("WIFI:T:WPA;S:HomeNet;P:h0mesweet;;", "WIFI:T:nopass;S:HomeNet;;"),
    "chat-password": ("/msg NickServ IDENTIFY n1ckpass", "/msg NickServ IDENTIFY <password>"),
    "totp-secret": ("TOTP: JBSW" + "Y3DPEHPK3PXP", "TOTP codes change every 30 seconds"),
    "password": ("my password is hunter2", "my password is wrong"),
    "api-key": ("api_key = 'k3j4h5g6f7d8s9a0'", "api_key = config.api_key"),
    "secret": ("JWT_SECRET=averylongsigningphrase", "JWT_SECRET=${JWT_SECRET}"),
    "token": ('"token": "a8f5f167f44f4964e6c998de"', '"token": "string"'),
    "credential": ("auth: kd83jd92kd02kdj39", "auth: oauth2"),
    "pin": ("the pin is 4821", "pin 13 is the LED"),
    "code": ("the door code is 4711", "the error code is 4711"),
    "login-pair": ("creds: admin / P4ssw0rd1", "creds: see the vault"),
    "email": ("write to ana@example.org", "write to @ana"),
    "phone": ("call +49 30 901820 55", "in 2023-2024 we had 12345678"),
    "card": ("4111 1111 1111 1111", "4111 1111 1111 1112"),
    "iban": ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"),
}
IDS = sorted({rule.id for rule in (*SECRETS, *PII)})


def only(id: str) -> RuleSet:
    return RuleSet.of(rule for rule in (*SECRETS, *PII) if rule.id == id)


def examples(id: str) -> tuple[list[str], list[str]]:
    """Texts that a rule must mask, and texts that it must leave."""
    if id in HAND:
        return [HAND[id][0]], [HAND[id][1]]
    draw = random.Random(id)
    found = [drawn(shape, draw).replace("‹", "").replace("›", "") for shape in SHAPES[id]]
    return found, [filler(shape).replace("‹", "").replace("›", "") for shape in SHAPES[id]]


@pytest.mark.parametrize("id", IDS)
def test_every_rule_finds_its_examples_and_passes_over_the_look_alike(id: str):
    found, left = examples(id)
    rules = only(id)
    for text in found:
        assert [one.rule for one in redact(text, rules=rules).redactions] == [id], text
    for text in left:
        assert redact(text, rules=rules).redactions == (), text


def test_no_example_is_of_a_rule_that_is_gone():
    assert set(HAND) | set(SHAPES) == set(IDS)


def test_rules_are_named_described_and_have_keywords_in_lower_case():
    for rule in (*SECRETS, *PII):
        assert ID.fullmatch(rule.id) and rule.description
        assert all(keyword == keyword.lower() for keyword in rule.keywords)
        assert rule.keywords or rule in PII


def test_a_rule_says_which_kind_a_specific_secret_is_even_where_a_general_one_finds_it_too():
    token = drawn("ghp_{A36}", random.Random(1))
    assert redact(f'"token": "{token}"').text == '"token": "[redacted:github-token]"'
    assert redact(f"Authorization: Bearer {token}").text == "Authorization: Bearer [redacted:github-token]"


SEGMENT = "3f2b8c1e-9d4a-4f6b-8a7c-1e2d3c4b5a69"


@pytest.mark.parametrize(
    "text",
    ["There is no segment or session '{}'.", "the segment is {}", "segment: {}", "segment id = {}", "segment, {}"],
)
def test_an_id_after_the_word_segment_is_no_token(text):
    assert redact(text.format(SEGMENT)).text == text.format(SEGMENT)


@pytest.mark.parametrize(
    "text", ["SEGMENT_WRITE_KEY={}", "our Segment write key is {}", "segmentWriteKey: '{}'", "segment token {}"]
)
def test_a_key_of_segment_is_masked(text):
    assert redact(text.format(SEGMENT)).text == text.format("[redacted:tool-token]")
