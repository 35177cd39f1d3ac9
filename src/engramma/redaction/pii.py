"""Personal data, masked only when asked for: e-mail addresses, phone numbers, cards, IBANs. Conservative."""

from __future__ import annotations

from ..patterns import late
from .judge import iban, luhn
from .rule import Rule

PII = (
    Rule(
        "email",
        "e-mail address",
        ("@",),
        late(r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])"),
        anywhere=True,
    ),
    Rule(
        "phone",
        "phone number: international with +, US with brackets or dashes, German with a leading 0 and a separator",
        (),
        late(
            r"(?<![\w.+/-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}"
            r"|\(\d{3}\) ?\d{3}[-.]\d{4}|(?:1[-. ])?[2-9]\d{2}([-.])\d{3}\1\d{4}|[2-9]\d{2} \d{3}-\d{4}"
            r"|0\d{2,4}[ /-]{1,3}\d{3,4}(?:[ -]?\d{2,4}){1,2})(?![\w-]|[./]\d)"
        ),
        anywhere=True,
        check=lambda v: 8 <= sum(c.isdigit() for c in v) <= 15,
    ),
    Rule(
        "card",
        "payment card number with a valid check digit",
        (),
        late(
            r"(?<![\w.-])(?:[3-6]\d{3}(?:([ -]?)\d{4}(?:\1\d{4}){1,2}(?:\1?\d{1,3})?)|3[47]\d{2}([ -]?)\d{6}\2\d{5})"
            r"(?![\w-]|\.\d)"
        ),
        anywhere=True,
        check=luhn,
    ),
    Rule(
        "iban",
        "bank account number (IBAN) with a valid checksum",
        (),
        late(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"),
        anywhere=True,
        check=iban,
    ),
)
