"""What a question in another language asks for: when, how much, who, where or why. Words as they are folded.

The same places in every language, so that none is forgotten; a phrase of several words is one entry with "_".
"""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType

from .function_words import fold_accents

KINDS = ("when", "amount", "who", "where", "why", "which", "what")
# Of each language the words that ask for KINDS, in that order. What also joins sentences as often as it asks stands
# with its accent alone: French "où" beside "ou", Spanish "qué" beside "que".
_WORDS = {
    "ca": "quan; quant quanta quants quantes; qui; on; perquè per_què; quin quina quins quines; què com",
    "cs": "kdy; kolik; kdo koho komu; kde kam odkud; proč; který která které jaký jaká jaké; co čeho jak",
    "da": "hvornår; hvor_meget hvor_mange; hvem; hvor; hvorfor; hvilken hvilket hvilke; hvad hvordan",
    "de": "wann; wieviel wieviele wie_viel wie_viele; wer wen wem wessen; wo wohin woher; warum wieso weshalb;"
    " welche welcher welches welchen welchem; was wie",
    "es": "cuando; cuanto cuanta cuantos cuantas; quien quienes; donde adonde; por_qué; cual cuales; qué cómo",
    "fr": "quand; combien; qui; où; pourquoi; quel quelle quels quelles lequel laquelle; que qu quoi comment",
    "it": "quando; quanto quanta quanti quante; chi; dove dov; perché; quale quali qual; che_cosa cosa cos come",
    "nl": "wanneer; hoeveel; wie wiens; waar waarheen waarvandaan; waarom; welk welke; wat hoe",
    "no": "når; hvor_mye hvor_mange; hvem; hvor; hvorfor; hvilken hvilket hvilke; hva hvordan",
    "pl": "kiedy; ile ilu; kto kogo komu kim; gdzie dokąd skąd; dlaczego; który która które którego której którym"
    " jaki jaka jakie; co czego jak",
    "pt": "quando; quanto quanta quantos quantas; quem; onde aonde; por_quê porquê por_que; qual quais; quê o_que como",
    "ro": "când cand; cât câtă câți câte cat cati; cine cui; unde; de_ce; care; ce cum",
    "sv": "när; hur_mycket hur_många; vem vilka; var vart; varför; vilken vilket; vad hur",
    "tr": "ne_zaman; kaç ne_kadar kaçta kaçıncı; kim kimin kime kimi kimden; nerede nereye nereden; neden niye niçin;"
    " hangi hangisi; ne neyi nasıl",
    "ru": "когда; сколько; кто кого кому кем; где куда откуда; почему зачем; какой какая какое какие каком какую;"
    " что чего как",
}
# Verbs that only say what is asked of something: what it is called; what it costs. Forms as they are folded.
_FRAMES = {
    "ca": "diu diuen deia; costa costen costava cobra cobren val valen",
    "de": "heisst heissen hiess hiessen heißt heißen hieß hießen nennt nannte; kostet kosten kostete kosteten",
    "es": "llama llaman llamo llamas llamaba llamaban llamar; cuesta cuestan costo costaron costaba costar cobra cobran"
    " cobro cobraron vale valen valia valio",
    "fr": "appelle appellent appelles appelait appelaient appeler; coute coutent coutait coutaient couter coutera vaut"
    " valent valait",
    "it": "chiama chiamano chiami chiamava chiamavano chiamare; costa costano costato costata costava costare",
    "nl": "heet heten heette heetten; kost kosten kostte kostten",
    "pl": "nazywa nazywaja nazywal nazywala; kosztuje kosztuja kosztowal kosztowala kosztowalo",
    "pt": "chama chamam chamas chamava chamavam chamar; custa custam custou custaram custava custar vale valem",
    "ro": "cheama numeste numesc; costa costau costat",
    "ru": "зовут звали называется называются; стоит стоят стоил стоила стоило",
}
# What stands before a place, as it is folded; of other languages any text may tell where.
_BEFORE_PLACES = {
    "ca": "a al als en de del des prop",
    "de": "in im ins an am ans auf bei beim nach zu zum zur aus von vom neben hinter vor unter uber bis",
    "es": "en a al desde cerca hacia por entre de del junto bajo",
    "fr": "a au aux en dans chez sur sous vers pres de du des devant derriere entre",
    "it": "a ad al alla allo ai in nel nella nello nei sul sulla da dal dalla di del della presso vicino tra",
    "nl": "in op bij naar te aan uit van achter naast tegenover onder",
    "pt": "em no na nos nas num numa a ao aos para pra de do da perto desde entre",
}
# Words that give a reason, as they are folded.
_REASONS = {
    "ca": "perque",
    "de": "weil denn da deshalb",
    "es": "porque pues",
    "fr": "car parce puisque",
    "it": "perche siccome",
    "nl": "want omdat doordat",
    "pl": "bo poniewaz",
    "pt": "porque pois",
    "ro": "pentru fiindca deoarece",
    "ru": "потому",
}
_WORD = re.compile(r"[^\W\d_]+")
_LEADS = 3  # words, one of which asks, unless the last one does: "à qui", "oye, para cuándo"
_ANYWHERE = ("tr",)
_OPENING = ("amount", "who", "which", "why")  # what begins no clause: "cuando llegue te llamo" asks nothing
_LONGEST_LEAD = 5  # letters of a word that calls somebody before asking: "oye", "hola"


@cache
def _asking(language: str) -> MappingProxyType[tuple[str, ...], str]:
    """The folded words and phrases of a language that ask, and for what."""
    kinds = zip(KINDS, _WORDS.get(language, ";" * (len(KINDS) - 1)).split(";"), strict=True)
    found = {tuple(fold_accents(entry).split("_")): kind for kind, words in kinds for entry in words.split()}
    return MappingProxyType(found)


@cache
def naming_words(language: str) -> frozenset[str]:
    """The folded verbs of a language that name what a question is about."""
    return frozenset(_FRAMES.get(language, "").partition(";")[0].split())


@cache
def frame_words(language: str) -> frozenset[str]:
    """The same, with those that price it."""
    return naming_words(language) | frozenset(_FRAMES.get(language, "").partition(";")[2].split())


def asked_kind(question: str, language: str) -> str:
    """What a question in a language asks for, one of KINDS; "" where none of its words tells."""
    words = tuple(fold_accents(word) for word in _WORD.findall(question))
    last = len(words) - 1
    places = (
        range(len(words)) if language in _ANYWHERE else [*range(min(_LEADS, len(words))), *([last] if words else ())]
    )
    return next((kind for place in places if (kind := _kind_at(words, place, language))), "")


@cache
def words_before_places(language: str) -> frozenset[str]:
    """The folded words of a language behind which a place is told; none where nobody listed them."""
    return frozenset(_BEFORE_PLACES.get(language, "").split())


def gives_reason(sentence: str, language: str) -> bool:
    """Whether a sentence has a word of its language that gives a reason."""
    return not {*_REASONS.get(language, "").split()}.isdisjoint(fold_accents(word) for word in _WORD.findall(sentence))


def opens_asking(sentence: str, language: str, *, is_prompt: bool = False) -> bool:
    """Whether a sentence in a language begins by asking how much, who, which or why, with or without its mark; what an
    assistant is told (`is_prompt`) asks with any interrogative."""
    if sentence.rstrip().endswith("!"):
        return False
    words = tuple(fold_accents(word) for word in _WORD.findall(sentence[:100]))
    return any(
        _kind_at(words, place, language) in (KINDS if is_prompt else _OPENING)
        and words[place] not in _REASONS.get(language, "").split()
        for place in (0, 1)
        if place < len(words) and (not place or len(words[0]) <= _LONGEST_LEAD)
    )


def _kind_at(words: tuple[str, ...], place: int, language: str) -> str:
    asking = _asking(language)
    lengths = (3, 2, 1)
    return next((kind for size in lengths if (kind := asking.get(words[place : place + size]))), "")
