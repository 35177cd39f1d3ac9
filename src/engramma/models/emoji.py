"""Emoji as encoders see them that know none: "now😋" would be one unknown word, and "now" be lost with it."""

from __future__ import annotations

import re

# Pictures, their skins, flags and keycaps.
_SIGN = "[\U0001f000-\U0001faff\u2600-\u27bf\u2300-\u23ff\u2b00-\u2bff\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]"
# What joins them is left where it joins letters, as in Sinhala and Bengali.
_EMOJI = re.compile(f"\u200d?{_SIGN}+(?:\u200d{_SIGN}+)*\u200d?")


def blank_emoji(text: str) -> str:
    """The text with a blank for each sign of an emoji, so that places in it stay the same; as it is if it has no other
    words."""
    blanked = _EMOJI.sub(lambda found: " " * len(found[0]), text)
    return blanked if any(sign.isalnum() for sign in blanked) else text
