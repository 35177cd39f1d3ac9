"""Secrets beside words that only look like others: invisible characters, wide letters, marks of bold."""

from __future__ import annotations

import pytest

from engramma import redact

SECRET = "hunter2xyz9"


@pytest.mark.parametrize(
    "text",
    [
        f"ｐａｓｓｗｏｒｄ：{SECRET}",
        f"my pass\u200bword is {SECRET}",
        f"my pass\u00adword is {SECRET}",
        f"my password is {SECRET[:4]}\u200b{SECRET[4:]}",
        f"<b>password</b>: {SECRET}",
        f'the <span class="key">password</span> is <code>{SECRET}</code>, ok',
    ],
)
def test_a_secret_is_masked_as_it_is_seen(text: str) -> None:
    masked = redact(text)
    assert "[redacted:password]" in masked.text and SECRET[4:] not in masked.text and SECRET[:4] not in masked.text
    assert redact(masked.text).text == masked.text
    [found] = masked.redactions
    assert text[: found.start] + "[redacted:password]" + text[found.end :] == masked.text


@pytest.mark.parametrize(
    "text",
    [
        "nice day 👨\u200d👩\u200d👧 at the lake",
        "می\u200cخواهم بروم",
        "<b>Password</b> rules: eight letters",
        "ＡＢＣ、１２３",
    ],
)
def test_what_tells_no_secret_stays(text: str) -> None:
    assert redact(text).text == text
