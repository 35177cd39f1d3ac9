"""Verbs: their forms, and which relation each of them says with what follows it.

A line of the table is a verb, its irregular forms (past, participle), and after the bar how it is read: `to>went_to`
means that "to" follows and that what comes then is the value of went_to; `>` alone stands for an object without a
preposition, `ing>` for a verb in -ing, `that>` for a clause. The first that fits counts. A verb without a reading
says `did` or `does` with all its words.
"""

from __future__ import annotations

from dataclasses import dataclass

from engramma.people.grammar.sets import wordset

_TABLE = """
go went gone | to>went_to on>did for>did camping>did ing>did
attend | >attended
visit | >visited
travel | to>travelled_to around>travelled_to
fly flew flown | to>travelled_to
drive drove driven | to>travelled_to
head | to>went_to
join | in>took_part_in >joined
participate | in>took_part_in
compete | in>took_part_in
volunteer | at>volunteers_at for>volunteers_at in>volunteers_at with>volunteers_at
run ran run | into>met on>runs_on >ran
hike | >did
race | in>ran
paint | >painted
draw drew drawn | >made
make made | it>did sure>did me>did us>did >made
build built | >made
create | >made
design | >made
bake | >made
cook | >made
knit knitted | >made
sew sewed sewn | >made
compose | >made
develop | >made
prepare | >made
write wrote written | >wrote
publish | >wrote
read read | about>read >read
reread reread | >read
watch | >watched
see saw seen | >saw
spot | >saw
listen | to>listens_to
play | in>took_part_in for>plays with>did >plays
start | off>did over>did up>founded with>did >started
offer | >did
block | >blocks
begin began begun | >started
launch | >founded
found founded | >founded
co-found | >founded
open | up>did >founded
take took taken | up>started part_in>took_part_in care_of>did >did
try tried | out>did >did
stop | by>visited for>does to>does >stopped
quit quit | >stopped
finish | up>finished with>finished >finished
complete | >finished
graduate | from>finished
win won | >won
lose lost | >lost
earn | >won
meet met | up_with>met with>met up>did >met
organise | >organised
organize | >organised
host | >organised
plan | to>plans on>plans for>plans >plans
celebrate | >celebrated
help | with>helped out>helped >helped
support | >helped
recommend | >recommended
suggest | >recommended
buy bought | >bought
purchase | >bought
order | >bought
get got gotten | married_to>married_to married>relationship_status engaged_to>engaged_to engaged>relationship_status \
 divorced>relationship_status offered>was_offered promoted_to>works_as a_job_as>works_as a_job_at>works_at \
 back_from>visited \
 into>started to_know>met to>did out>did up>did along>did on>did in>did off>did through>did over>did >got
receive | >got
pick | up>got >did
adopt | >got
rescue | >got
inherit | >got
own | >has
keep kept | >does
have had | to>does >has
sell sold | >sold
give gave given | up>stopped >gave
donate | >gave
work | as>works_as at>works_at for>works_at on>works_on in>works_in with>does out>does hard>does >does
freelance | as>works_as
live | in>lives_in at>lives_in with>lives_with
reside | in>lives_in
settle | in>lives_in
move | from>moved_from to>moved_to into>moved_to out_of>moved_from out>did in_with>lives_with in>did
relocate | to>moved_to
grow grew grown | up_in>from up>did
study | at>studies_at for>studies >studies
major | in>studies
look | into>aspires_to
suffer | from>has_condition
learn learned | that>realised to>learns how_to>learns about>learns >learns
practise | >does
practice | >does
teach taught | >teaches
train | for>does >does
coach | >does
leave left | >left_job
resign | from>left_job >left_job
retire | from>left_job >left_job
apply | for>applied_for to>applied_for
interview | for>applied_for at>applied_for
like | >likes
love | >likes
enjoy | >likes
adore | >likes
prefer | >prefers
hate | >dislikes
dislike | >dislikes
loathe | >dislikes
detest | >dislikes
want | to>wants >wants
need | to>needs >needs
wish | >wants
hope | to>wants for>wants
dream | of>wants about>wants
intend | to>plans
consider | >aspires_to
aspire | to>aspires_to
become became become | >works_as
marry | >married_to
date | >dating
break broke broken | up_with>broke_up_with up>relationship_status >injured
split split | up_with>broke_up_with up>relationship_status
divorce | >broke_up_with
hurt hurt | >injured
injure | >injured
sprain | >injured
twist | >injured
eat ate eaten | >eats
drink drank drunk | >eats
use used | >uses
depend | on>depends_on upon>depends_on
rely | on>depends_on
require | >depends_on
speak spoke spoken | to>did with>did about>did at>did up>did >speaks
feel felt | like>did >feels
realise | that>realised how>realised >realised
realize | that>realised how>realised >realised
discover | that>realised how>realised >realised
notice | that>realised how>realised >realised
believe | in>believes that>believes >believes
"""

_ACTIONS = """
explore roast help camp swim dance sing jump climb ski surf skate bike cycle jog stretch meditate garden plant harvest
clean organise fix repair install set put move carry bring brought send sent show showed share post record film
photograph capture capture decorate renovate rent book reserve pack unpack walk stroll wander ride rode ridden
call ring rang rung text email contact invite welcome thank hug kiss chat spend spent save pay paid invest donate
fund raise collect gather hand deliver teach guide mentor lead led manage run host hire fire promote score beat
tie defeat defend face overcome overcame struggle suffer recover heal rest sleep slept wake woke woken dress wear
wore worn shop browse choose chose chosen pick decide change switch turn shift add remove cut chop mix taste serve
order catch caught throw threw thrown hit kick shoot shot pass fail test check inspect research investigate study
explain describe present perform act rehearse audition sign register enrol enroll apply submit upload download
code program debug deploy release ship test merge review refactor migrate upgrade implement configure
stay stop wait return come came arrive depart land board cross reach pass follow chase hunt fish sail row paddle
kayak dive dove camp hang hung light lit burn burned blow blew grow knock knocked lay laid let lift push pull drop
fall fell fallen trip slip slid crash bump scratch bite bit bitten sting stung cry laugh smile frown scream shout
whisper pray worship attend confess apologise apologize forgive forgave argue fight fought disagree protest march
vote campaign advocate speak represent judge nominate elect appoint experience undergo underwent undergone
survive endure face handle tackle juggle balance focus concentrate practise improve increase reduce double expand
gain lose achieve accomplish reach hit set break beat surpass exceed
connect bond reconnect reunite network collaborate partner team sponsor endorse
babysit raise feed fed groom bathe walk train adopt foster rescue
admire collect treasure cherish value miss remember forget forgot forgotten
knit crochet sew craft sculpt carve mould mold glue fold print sketch doodle edit
die injure treat diagnose vaccinate operate name swap fetch ignore spit spat clip surrender criticise criticize
"""
# Verbs of talk and thought: what is said with them alone tells nothing about the one who says it.
TALK = wordset(
    "think know mean guess suppose say tell see agree hear bet swear promise understand imagine assume reckon"
    " expect wonder doubt ask answer reply mention talk seem sound look appear hope believe feel thank"
    " congratulate care mind chat catch happen matter depend notice figure find remember forget miss wish"
    " admire appreciate value"
)
_IRREGULAR_TALK = """
think thought
know knew known
mean meant
say said
tell told
see saw seen
hear heard
bet bet
swear swore sworn
understand understood
feel felt
find found
forget forgot forgotten
do did done
be was been
"""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a verb: base, s (third person), past, part (participle) or ing. One word may be several."""

    lemma: str
    kinds: frozenset[str]


def _ends_doubled(verb: str) -> bool:
    """Whether the last letter doubles before -ed and -ing: stop, plan; not visit, open."""
    short = len(verb) >= 3 and verb[-1] in "bdgmnprt" and verb[-2] in "aeiou" and verb[-3] not in "aeiou"
    return short and (sum(letter in "aeiouy" for letter in verb) == 1 or verb in ("refer", "prefer", "commit", "admit"))


def _regular(verb: str) -> tuple[str, str, str]:
    """The third person, the past and the -ing form of a regular verb."""
    if verb.endswith("e"):
        past, ing = verb + "d", (verb if verb.endswith(("ee", "ye")) else verb[:-1]) + "ing"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        past, ing = verb[:-1] + "ied", verb + "ing"
    elif _ends_doubled(verb):
        past, ing = verb + verb[-1] + "ed", verb + verb[-1] + "ing"
    else:
        past, ing = verb + "ed", verb + "ing"
    if verb.endswith(("s", "sh", "ch", "x", "o", "z")):
        third = verb + "es"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        third = verb[:-1] + "ies"
    else:
        third = verb + "s"
    return third, past, ing


_TAKE_NO_BASE = wordset(
    "brought sent showed rode ridden rang rung spent paid led overcame slept woke woken wore worn chose chosen caught"
    " threw thrown shot came dove hung lit burned blew knocked laid fell fallen slid bit bitten spat stung forgave"
    " fought underwent undergone fed forgot forgotten"
)
_PAST_OF = {
    "bring": "brought", "send": "sent", "ride": "rode ridden", "ring": "rang rung", "spend": "spent", "pay": "paid",
    "lead": "led", "overcome": "overcame", "sleep": "slept", "wake": "woke woken", "wear": "wore worn",
    "choose": "chose chosen", "catch": "caught", "throw": "threw thrown", "shoot": "shot", "come": "came come",
    "hang": "hung", "light": "lit", "blow": "blew blown", "lay": "laid", "fall": "fell fallen", "slide": "slid",
    "bite": "bit bitten", "sting": "stung", "forgive": "forgave forgiven", "fight": "fought",
    "undergo": "underwent undergone", "feed": "fed", "swim": "swam swum", "sing": "sang sung", "put": "put",
    "spit": "spat", "set": "set", "cut": "cut", "let": "let", "hit": "hit", "show": "showed shown", "hold": "held",
    "sit": "sat",
    "stand": "stood", "lie": "lay", "rise": "rose risen", "stick": "stuck", "steal": "stole stolen",
    "freeze": "froze frozen", "hide": "hid hidden", "shut": "shut", "deal": "dealt", "dig": "dug", "shake": "shook",
}  # fmt: skip


def _table() -> tuple[dict[str, Form], dict[str, tuple[tuple[str, str], ...]]]:
    forms: dict[str, tuple[str, set[str]]] = {}
    frames: dict[str, tuple[tuple[str, str], ...]] = {}

    def enter(verb: str, irregular: list[str]) -> None:
        third, past, ing = _regular(verb)
        if irregular:
            past = irregular[0]
        participle = irregular[1] if len(irregular) > 1 else past
        for word, kind in ((verb, "base"), (third, "s"), (past, "past"), (participle, "part"), (ing, "ing")):
            lemma, kinds = forms.setdefault(word, (verb, set()))
            if lemma == verb:
                kinds.add(kind)

    for line in _TABLE.replace("\\\n", "").strip().splitlines():
        names, _, readings = line.partition("|")
        verb, *irregular = names.split()
        if verb not in frames:
            enter(verb, irregular)
        parsed = tuple(tuple(reading.split(">")) for reading in readings.split())
        frames[verb] = frames.get(verb, ()) + tuple((key.replace("_", " "), value) for key, value in parsed)
    for line in _IRREGULAR_TALK.strip().splitlines():
        verb, *irregular = line.split()
        enter(verb, irregular)
    for verb in (*_ACTIONS.split(), *_PAST_OF, *TALK):
        if verb not in _TAKE_NO_BASE and verb not in frames:
            enter(verb, _PAST_OF.get(verb, "").split())
    for word in ("got", "gotten"):
        forms[word] = ("get", {"past", "part"})
    forms["lying"], forms["lay"] = ("lie", {"ing"}), ("lie", {"past", "base"})
    forms["found"] = ("find", {"past", "part"})
    forms["dying"], forms["saw"], forms["fell"] = ("die", {"ing"}), ("see", {"past"}), ("fall", {"past"})
    return {word: Form(lemma, frozenset(kinds)) for word, (lemma, kinds) in forms.items()}, frames


FORMS, FRAMES = _table()
BE = wordset("am is are was were be been being 'm 're")
