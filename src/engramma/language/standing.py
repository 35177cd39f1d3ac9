"""Standing instructions: what somebody tells an assistant to do always, as in "Never send links, please"."""

from __future__ import annotations

import re

from ..patterns import late

READ = 400  # characters at the beginning of a message
_UNSEEN = "\u200b\u200e\u200f\u2060\ufeff"  # that chats begin their messages with
# What may stand before it: a heading, a list mark, a greeting or thanks, a word that leads over.
_OPENING = late(
    r"(?:[^\n.!?]{1,60}:\s*\n)?\s*(?:(?:[-*•>]|\d{1,2}[.)])\s+)?[*_\"“'(]*"
    r"(?:(?:hi|hello|hey|thanks|thank you|great|perfect|good (?:morning|evening|afternoon))(?: [\w’']+)?[.!,]+\s+)?"
    r"(?:(?:please|also|and|ok|okay|hey|oh|so|but|then|just so you know|one more thing)[,:]? "
    r"|(?:note|remember|important|rule): )*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:[^\n.!?]|[.!?](?=\S))*[.!?]?")
# After "always" and "never", what tells of oneself or of something: "Never tried sushi", "Always makes me laugh".
_TELLS = (
    r"(?!embed)\w+[^\We]ed|\w+[^\Wsu]s|(?!(?:br|r|s|p|sw|fl|cl|str)ing\b)\w+ing|agreed|ate|came|done|eaten|felt|gone"
    r"|got|gotten|late|left|made|met|ran|saw|seen|slept|spent|told|took|understood|went|wrote|been|had|have|did|said"
    r"|heard|thought|knew|know|sure|is|as|need|want|love|like|hate|wish|hope|feel|wonder|mind|ever again|enough"
    r"|(?:so |very |too )?(?:happy|nice|good|great|fun|sad|bad|easy|hard|busy|hungry|ready|glad|sorry|worth|up|down)"
    r"|a|an|the|my|your|our|his|her|their|this|that|some|i|we|you|he|she|it|they|me|at|too|once"
    r"|in (?:my|all|a)|on (?:my|time)|more|less|forgot"
)
# Verbs that assistants are told; any other is known by its object: "staple the pages".
_VERBS = (
    r"add|address|answer|ask|assume|avoid|begin|bring|call|check|cite|close|comment|confirm|consider|convert|describe|double-check"
    r"|end|ensure|explain|finish|focus|follow|format|give|greet|highlight|include|keep|leave|limit|list|make|mark|mention"
    r"|name|note|offer|open|prefer|present|propose|provide|put|quote|recommend|refer|refrain|remember|remind|reply|respond"
    r"|return|round|send|show|skip|speak|specify|spell|start|state|stay|stick|stop|suggest|summari[sz]e|switch|talk|tell"
    r"|translate|treat|use|warn|word|write"
)
_EVER = (
    rf"(?:(?:always(?:,? always)?|never|(?:don['’]?t|do not) ever)[*_]*(?!,? (?:ever )?(?:{_TELLS})\b)"
    rf"(?:,? (?!again\b(?! (?:{_VERBS})\b))\w))"
)
_NO_VERB = (
    r"(?:i|you|he|she|it|we|they|there|here|this|that|these|those|the|an?|my|your|our|his|her|its|their|some|all|half|both"
    r"|will|would|can|could|should|shall|may|might|must|is|are|was|were|do|does|did|has|have|had|am|what|who|why|how|when"
    r"|where|which|with|without|in|on|at|for|of|to|from|by|not|just|like|even|only|maybe|and|or|but|if)\b"
)
_DO = (
    r"(?:(?:please|always|never|also|then|just|(?:do not|don['’]?t)(?: ever)?|make sure (?:to|you|that you)),? )*"
    rf"(?:(?:{_VERBS})\b(?! (?:is|are|was|will|comes?)\b)"
    rf"|(?!{_NO_VERB})[a-z-]+ (?:me|us|it|them|the|an?|my|your|these|those|every|each)\b)"
)
# What speaks to the assistant.
_TOLD = (
    r"(?:i (?:want|need|expect|prefer)|i(?: would|['’]d) (?:like|prefer|want|love|appreciate))"
    r" (?:for |that |it if )?you(?: to)?|you (?:should|must|have to|need to|are to)"
    r"|(?:remember|be sure|try|make sure)(?: to| that you| you)"
)
_ASKED = r"(?:could|can|would|will) you(?: please)?"
_HENCEFORTH = r"(?:from (?:now|here)(?: on(?:wards?)?)(?: out)?|going forward|in (?:the )?future)"
_WHENEVER = r"(?:whenever|(?:every|each|any) ?time)"
# Each time that was, and a time that somebody may choose: "List every time I went there", "Call me any time you like".
_NOT_YET = (
    r"(?!(?<=you) (?:like|want|wish|please)\b)"
    r"(?! (?:was|were|had|did|went|said|told|saw|met|ate|got|came|felt|made|(?!embed)\w+[^\We]ed)\b)"
)
# No clause begins between what is to be done and its "from now on": "Explain why it crashes every time" asks once.
_WHAT = r"(?:(?!\b(?:why|how|what|when|where|which|who|that|if|whether|because|to (?!me|us))\b)[^?])*?"
_TO_BE_DONE = rf"(?:{_ASKED} {_DO}|(?:{_DO}|(?:{_TOLD})|you(?: are|['’]re) (?:my|an?|the)\b)(?!.*\?$))"
# Each form with what a sentence has to begin with and to hold, in small letters: most talk does not, and needs none of
# these patterns, which take longer to compile than a question to answer.
_EVER_WORDS, _LATER = ("always", "ever"), ("from now", "from here", "going forward", "future")
_ASKING = ("i ", "i'd", "i’d", "you ", "remember", "be sure", "try", "make sure", "could", "can", "would", "will")
_FORMS = (
    (("always", "never", "do"), _EVER_WORDS, late(rf"{_EVER}(?!.*\?$)", re.IGNORECASE)),
    (
        _ASKING,
        _EVER_WORDS,
        late(
            rf"(?:{_TOLD}|{_ASKED}) (?:always|never)(?! have\b)|you are (?:always|never) to "
            r"|i (?:always|never) want you to ",
            re.IGNORECASE,
        ),
    ),
    (
        ("from", "going", "in "),
        _LATER,
        late(
            rf"{_HENCEFORTH},? (?:{_TO_BE_DONE}|let['’]s"
            r"|(?:no|only|all|every)\b(?!.*\b(?:i|me|my|we|will|is|are)\b)(?!.*\?$))",
            re.IGNORECASE,
        ),
    ),
    (
        ("whenever", "every", "each", "any"),
        ("whenever", "time"),
        late(rf"{_WHENEVER} [^?]{{3,120}}?(?:,|(?= please\b)) {_TO_BE_DONE}", re.IGNORECASE),
    ),
    (
        ("when", "if", "for", "in"),
        _EVER_WORDS,
        late(rf"(?:when|if|for|in)\b[^?]{{3,120}}, (?:please )?{_EVER}(?!.*\?$)", re.IGNORECASE),
    ),
    (
        ("",),
        (*_LATER, *(f"{when} {who}" for when in ("time", "whenever") for who in ("i", "we", "you"))),
        late(
            rf"(?:(?:{_TOLD}|{_ASKED}) )?(?:(?:ask|remind|tell) (?:me|us) to |{_DO}){_WHAT}"
            rf"\b(?:{_HENCEFORTH}(?=\W*$)|{_WHENEVER} (?:i|we|you)\b{_NOT_YET})",
            re.IGNORECASE,
        ),
    ),
)
_WORDS = ("always", "never", "ever ", "time", "from now", "from here", "going forward", "future")  # one is in each form


def is_standing_instruction(message: str) -> bool:
    """Whether a message begins with what is to be done always: "From now on, answer in French." English only."""
    read = message[:READ].lstrip(_UNSEEN)
    lowered = read.lower()
    if not any(word in lowered for word in _WORDS):
        return False
    opening = _OPENING.match(read)
    first = _SENTENCE.match(read, opening.end() if opening else 0)
    if first is None:
        return False
    said, lowered = first[0], first[0].lower()
    return any(
        lowered.startswith(starts) and any(word in lowered for word in words) and form.match(said) is not None
        for starts, words, form in _FORMS
    )
