"""Nouns and adjectives that tell which relation a clause says: jobs, illnesses, feelings, empty objects."""

from __future__ import annotations

from engramma.people.grammar.sets import wordset

JOBS = wordset(
    "engineer developer programmer designer teacher professor lecturer tutor coach trainer nurse doctor physician"
    " surgeon dentist vet veterinarian pharmacist therapist counselor counsellor psychologist psychiatrist lawyer"
    " attorney judge paralegal accountant auditor banker broker analyst economist consultant manager director lead"
    " leader supervisor assistant secretary receptionist clerk cashier barista waiter waitress chef cook baker"
    " bartender butcher farmer gardener florist carpenter plumber electrician mechanic welder builder contractor"
    " architect surveyor scientist researcher chemist physicist biologist mathematician statistician historian"
    " librarian archivist curator writer author journalist reporter editor translator interpreter poet blogger"
    " photographer filmmaker videographer actor actress musician singer drummer guitarist pianist composer dj"
    " producer painter sculptor illustrator animator dancer choreographer model stylist hairdresser barber tailor"
    " firefighter policeman officer detective soldier veteran pilot driver courier captain sailor guard salesman"
    " salesperson realtor recruiter founder co-founder cofounder entrepreneur ceo cto cfo president vice-president"
    " intern apprentice freelancer administrator admin technician operator programmer player athlete streamer"
    " youtuber marketer strategist pastor priest minister politician mayor senator diplomat activist volunteer"
    " nanny caregiver midwife paramedic zookeeper ranger biochemist geologist astronomer student freshman"
    " sophomore undergrad postdoc"
)
STUDENTS = wordset("student students freshman freshmen sophomore undergrad undergraduate postgraduate")
_JOB_ENDINGS = ("ologist", "ician", "eer", "ographer", "-in-chief")
NO_JOBS = wordset("career volunteer peer beer deer cheer pioneer technician-like")
CONDITIONS = wordset(
    "cold flu fever cough headache headaches migraine migraines asthma diabetes arthritis cancer anxiety"
    " depression adhd allergy allergies insomnia injury surgery operation infection covid pneumonia bronchitis"
    " concussion thyroid disease disorder syndrome ptsd autism dyslexia epilepsy hypertension ulcer fracture"
    " sprain cramps gastritis pain ache backache condition"
)
FEELINGS = wordset(
    "happy sad excited nervous anxious worried proud angry upset tired exhausted stressed overwhelmed lonely"
    " grateful thankful blessed hopeful disappointed frustrated scared afraid ashamed embarrassed jealous bored"
    " confused motivated inspired relieved thrilled ecstatic devastated heartbroken depressed content calm relaxed"
    " confident optimistic discouraged drained swamped busy nostalgic homesick passionate sick ill unwell free"
    " alone lost accepted determined fulfilled satisfied burnt burned torn pumped stoked bummed miserable guilty"
    " furious annoyed terrified energised energized refreshed peaceful loved supported empowered conflicted hurt"
)
# "I'm happy for you", "I'm glad to hear": courtesies, not feelings that anybody will ask about.
COURTESY = wordset("you your that hear to it")
BUSINESSES = wordset("startup business company store shop studio restaurant cafe café bakery firm agency brand gym"
    " practice brewery salon clinic")  # fmt: skip
# What somebody may start that is no living of its own, or that one may start by going there ("she starts school").
ORGANISATION_STARTS = BUSINESSES | wordset(
    "charity foundation blog channel podcast school nonprofit club band choir newsletter magazine association society"
    " initiative"
)
_ATTENDED = wordset("school gym clinic practice choir")  # "started her school": she went there
INJURABLE = wordset(
    "ankle knee leg arm wrist foot toe finger back neck shoulder hip head nose rib elbow hand thumb ligament"
    " tendon hamstring muscle collarbone"
)
STUDIES = wordset("course courses class classes degree certification certificate licence license diploma training")
# What one does rather than has: "I had an awesome summer".
EXPERIENCES = wordset(
    "fun time trouble chance summer winter day night evening weekend week trip party game chat talk dinner lunch"
    " breakfast picnic meeting moment experience conversation blast vacation holiday adventure ride fight argument"
    " accident session match race show concert opportunity feeling idea thought memory impression"
)
CAREER = wordset("career careers job jobs profession work field")


def is_founded(noun: str, before: str) -> bool:
    """Whether who starts this founds it: "a company", "my business", "a school"; not "school" or "her new school"."""
    if noun not in ORGANISATION_STARTS:
        return False
    return before in ("a", "an", "own") or (noun not in _ATTENDED and before in ("my", "our", "his", "her", "their"))


def is_experience(noun: str) -> bool:
    """Whether a noun names what one goes through, alone or many of them: "a trip", "tough times"."""
    return noun in EXPERIENCES or (noun.endswith("s") and noun[:-1] in EXPERIENCES)


def is_job(noun: str) -> bool:
    """Whether a noun names what somebody works as."""
    return noun in JOBS or (noun.endswith(_JOB_ENDINGS) and noun not in NO_JOBS)
