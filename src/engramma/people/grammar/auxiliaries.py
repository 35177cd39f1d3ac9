"""Words around a verb: adverbs, negations, modals, and verbs that lead another one."""

from __future__ import annotations

from engramma.people.grammar.sets import wordset
from engramma.records.people import Modality

ADVERBS = wordset(
    "also just last really recently actually finally still always already even totally definitely currently usually"
    " often sometimes both all now then only simply mostly mainly truly literally basically honestly lately once"
    " ever again so too very quite pretty super rather occasionally rarely seldom regularly constantly originally"
    " initially eventually soon officially successfully happily luckily fortunately sadly personally especially"
    " almost nearly kinda first barely hardly obviously clearly seriously fully genuinely deeply certainly"
    " absolutely gladly"
)
HEDGES = wordset("probably maybe perhaps possibly apparently supposedly likely might may")
NOT = wordset("not n't never neither")
# "We almost bought it", "I hardly watch it": as good as not, unless it is a number or a habit that they lessen.
ALMOST_NOT = wordset("almost nearly hardly scarcely")
AFTER_ALMOST = wordset("always every all everything everyone any done there")
MODALS: dict[str, Modality] = {
    "would": "hypothetical", "could": "hypothetical", "should": "hypothetical", "might": "hypothetical",
    "may": "hypothetical", "will": "plan", "shall": "plan", "'ll": "plan", "gonna": "plan", "must": "hypothetical",
}  # fmt: skip
# What comes before another verb: words after the verb, what it makes of the whole, and how the next verb stands.
LEADS: dict[str, tuple[tuple[tuple[str, ...], Modality | None, str], ...]] = {
    "go": ((("to",), "plan", "base"),),
    "plan": ((("to",), "plan", "base"), (("on",), "plan", "ing")),
    "intend": ((("to",), "plan", "base"),),
    "hope": ((("to",), "wish", "base"),),
    "want": ((("to",), "wish", "base"),),
    "wan": ((("na",), "wish", "base"),),
    "need": ((("to",), "plan", "base"),),
    "have": ((("to",), "plan", "base"),),
    "decide": ((("to",), "plan", "base"), (("on",), "plan", "ing")),
    "look": ((("forward", "to"), "plan", "ing"), (("to",), "plan", "base")),
    "think": ((("of",), "wish", "ing"), (("about",), "wish", "ing")),
    "consider": (((), "wish", "ing"),),
    "dream": ((("of",), "wish", "ing"), (("about",), "wish", "ing")),
    "try": ((("to",), "plan", "base"),),
    "use": ((("to",), None, "base"),),
    "get": ((("to",), None, "base"),),
    "manage": ((("to",), None, "base"),),
    "happen": ((("to",), None, "base"),),
    "end": ((("up",), None, "ing"),),
    "keep": ((("on",), None, "ing"), ((), None, "ing")),
}
PREDICATES: dict[str, tuple[str, Modality | None]] = {
    "going": ("to", "plan"), "about": ("to", "plan"), "ready": ("to", "plan"), "able": ("to", None),
    "excited": ("to", "plan"), "determined": ("to", "plan"), "eager": ("to", "wish"), "keen": ("to", "wish"),
    "hoping": ("to", "wish"), "planning": ("to", "plan"), "supposed": ("to", "plan"), "trying": ("to", "plan"),
    "looking": ("to", "plan"), "set": ("to", "plan"), "lucky": ("to", None), "happy": ("to", None),
}  # fmt: skip
# What may follow a subject without being its verb.
NO_VERBS = wordset(
    "and or but nor the that this these those with without from for about into onto who which what when where why"
    " how his her its our your their them him mine yours ours one two three four five six seven eight nine ten not"
    " yes alone myself yourself himself herself themselves ourselves together there here than then too very like"
    " such because while since until though although unless after before during between among under over near off"
    " out own same other another each every either neither any some none more most less least much many few all"
    " both guys folks people kids everyone anyone someone nobody something anything nothing everything including"
    " except per via upon toward towards was were are has had have does did being been"
)
NO_DOING = wordset(
    "something anything nothing everything morning evening during amazing interesting exciting ceiling inspiring"
    " challenging rewarding relaxing boring surprising fascinating missing willing outstanding upcoming"
)
WISHES = wordset("love like prefer enjoy")
