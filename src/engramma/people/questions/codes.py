"""Codes that somebody was given: a booking reference, an order number. How they are asked for, and what is one."""

from __future__ import annotations

import re

_OF = (
    r"(?:reservation|booking|confirmation|reference|order|tracking|ticket|card|account|membership|member|customer|policy"
    r"|invoice|claim|case|flight)"
)
_KIND = r"(?:code|number|id|reference|ref|no|nr)\b\.?"
_CODE = rf"(?:{_OF} {_KIND}|(?:pnr|record locator)\b)"
_TRAVEL = r"(?:reservation|booking|pnr|record locator)"  # one code, by whichever name
_SOME = r"(?:[\w'’-]+ )"
ASKS_CODE = (
    rf"what(?:['’]?s| is| was) (?:my|our|the) {_SOME}{{0,4}}?{_CODE}"
    rf"|(?:what|which) {_CODE} (?:did|do|have|was)\b"
    r"|(?:please |(?:can|could|would) you |do you )*(?:tell|give|show|send|get|find|remind|know|remember|have)(?: me)?"
    rf"(?: of| again)? (?:my|our|the) {_SOME}{{0,4}}?{_CODE}"
    rf"|{_SOME}{{0,3}}?{_CODE}(?: (?:for|of|again|please)\b[^.?]*)?\s*\?+\s*$"
)
# A number that is no code: "45 euros", "3-4 days", "12 May", "450 €". Of five digits before "may" it is one.
_NO_CODE = (
    r"\d+(?:[-–]\d+)? (?:euros?|eur|dollars?|usd|bucks|pounds?|gbp|francs?|chf|cents?|seconds?|minutes?|hours?|days?"
    r"|weeks?|months?|years?|people|persons|guests|nights?|pieces|kilos?|miles?|degrees|percent)\b"
    r"|\d\d? (?:of )?(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)\b"
    r"|\d+ ?[%$€£¥]|\d+(?:st|nd|rd|th|am|pm|x|k|m|min|h|hrs?|kg|km)\b"
)
_MONEY = "".join(rf"(?<!{before} )" for before in ("[$€£¥]", "eur", "usd", "gbp", "chf"))
_LED = "|".join(
    rf"(?<=\b{word}{sign} )"
    for word in ("number", "code", "id", "reference", "ref", "no", "nr", "pnr")
    for sign in ("", ":", r"\.", " is", " was")
)
_YEAR = r"(?:19|20)\d\d(?:-(?:19|20)?\d\d(?:-\d\d)?)?(?![\w-])"
# Letters and digits: no date, time or price. Digits alone are one from four on, if they are no year, or if it is said.
CODE_SHAPE = re.compile(
    rf"(?<![\w$€£¥.:/-])(?<!\d,){_MONEY}(?!{_NO_CODE})"
    rf"(?:(?:{_LED}|(?<=\#))\d+|(?!{_YEAR})(?=[\d-]{{4}})\d+(?:-\d+)*"
    r"|(?-i:[A-Z]{2}) \d{2,4}|(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z\d]+(?:-[A-Z\d]+)*)"
    r"(?![\w%$€£¥-]|[.:/,]\d)",
    re.IGNORECASE,
)


def tells_code(question: str, text: str) -> bool:
    """Whether a text says of the code in it that it is the one that is asked for: a tracking number is no order's."""
    found = re.search(_CODE, question, re.IGNORECASE)
    if found is None:
        return True
    of = re.sub(rf" {_KIND}$", "", found[0], flags=re.IGNORECASE)
    wanted = _TRAVEL if re.fullmatch(_TRAVEL, of, re.IGNORECASE) else of
    return re.search(rf"\b{wanted}s?\b", text, re.IGNORECASE) is not None
