"""Tells a question that asks for nothing but a time: "What did we talk about in May?" names no subject."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from ..patterns import late
from .dates import Interval
from .function_words import fold_accents, in_runs, latin_words, other_words

LONGEST_QUESTION = 200  # characters

# Words for talking and happening, as they stand in such questions. Without one of them "Who is May?" is none.
_TALK = """
    talk talked talking talks speak spoke spoken say said saying tell told discuss discussed discussing discussion
    discussions chat chatted chatting chats mention mentioned mentioning happen happened happening conversation
    conversations done
    gesprochen gesprochenen sprachen reden geredet redeten gesagt sagten erzählt besprochen unterhalten passiert geschah
    geschehen gemacht gespräch gespräche worüber
    hablamos hablado hablábamos hablé dije dijimos dicho contamos comentamos charlamos conversamos pasó ocurrió sucedió
    hicimos hice hecho conversación conversaciones tratamos
    parlé parlions parlâmes dit discuté discutions raconté passé arrivé fait conversation conversations
    falamos falado falávamos falei conversamos conversado conversámos disse dissemos discutimos contámos contamos
    aconteceu fizemos fiz conversa conversas
    parlato parlavamo detto discusso discutevamo raccontato successo accaduto fatto conversazione conversazioni
    vorbit discutat spus povestit întâmplat făcut
    gesproken praatten gepraat gezegd besproken verteld gebeurd gebeurde gedaan gehad gesprek gesprekken
    pratade pratat talade talat sade sagt diskuterade berättade hände hänt gjorde
    snakkede snakket talte talt sagde sagt diskuterede skete sket gjorde
    puhuttiin puhuimme puhunut keskusteltiin keskustelimme sanottiin tapahtui teimme
    beszéltünk beszélgettünk mondtunk történt csináltunk
    rozmawialiśmy rozmawialismy mówiliśmy mówił mówiła powiedzieliśmy omawialiśmy stało wydarzyło działo robiliśmy
    mluvili bavili povídali říkali stalo dělali
    konuştuk konuşmuştuk konuşuldu konuştuğumuz dedik söyledik bahsettik oldu yaptık
    bicarakan dibicarakan membicarakan berbicara bicara katakan terjadi lakukan
    nói chuyện kể xảy trò bàn
    говорили говорил говорила говорим разговаривали обсуждали сказали рассказывали беседовали болтали случилось
    произошло происходило делали говорилось
    розмовляли казали обговорювали сталося трапилося робили
    μιλησαμε μιλουσαμε ειπαμε συζητησαμε συνεβη εγινε καναμε λεγαμε
    تحدثنا تكلمنا قلنا ناقشنا حدث جرى فعلنا دردشنا حكينا
    बात बातें बारे बताया कहा चर्चा हमने मैंने हमारी
    דיברנו אמרנו שוחחנו קרה עשינו
"""
_TALK_RUNS = """
    聊了 聊过 聊 谈了 谈过 谈论 谈到 谈 说了 说过 说 讲了 讲过 讲 讨论 发生 做了 事情 事 談 說 講 討論 發生
    話しました 話した 話して 話を 話 会話 喋った しゃべった した して あった ありました 起きた 言った
    우리가 우리 무슨 얘기를 얘기했지 얘기했어 얘기 이야기를 이야기 대화를 대화 말했지 말했어 했었지 했더라 했지 했어
    했니 했죠 나눴지 나눴어 일이 있었지 있었어 있었나
    คุย พูด เกิดขึ้น เรา เรื่อง กัน
"""
# What somebody else did when they said something: "What did Ann say in May?", "¿Qué dijo Rocío en febrero?"
_SAID = """
    say said tell told talk talked talking speak spoke spoken mention mentioned discuss discussed write wrote written
    sagte gesagt erzählte erzählt sprach gesprochen redete geredet berichtete berichtet schrieb geschrieben
    dijo dicho contó contado comentó comentado habló hablado mencionó mencionado escribió escrito
    dit disait parlé parlait raconté racontait mentionné écrit
    disse detto diceva raccontò raccontato parlò parlato parlava scrisse scritto
    dito dizia falou falado contou comentou mencionou escreveu
"""
# Of one's own talk, of what is said about a time, and why, where or to whom: more than what another said then.
_ASKS_OTHERWISE = re.compile(
    "i|we|you|ich|wir|du|yo|nosotr[oa]s|je|j|nous|io|noi|eu|nós|über|sobre|su|sulla?|who|whom|why|where|when|how|wer|wem"
    "|warum|wieso|wo|wann|wie|qui[eé]n|a?d[oó]nde|cu[aá]ndo|c[oó]mo|pourquoi|où|quand|comment|chi|perch[eé]|dove|come|quem"
    "|onde"
)
_TO_WHOM = re.compile(
    r"to|with|about|of|from|for|by|a|al|con|del?|sobre|à|au|avec|mit|zu|über|von|com|per|d[ia]|und|and|y|et?"
)
_PARTICLES = "に は が の で も と へ か ね 에 는 은 이 가 를 을 도 份 在 里 裡 间 間 ใน ช่วง"
_SPACELESS = late("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0900-\u0903\u093a-\u094f][^\W\d_]*)*")
_DO = re.compile(r"\b(?:did (?:i|we|you) do|(?:was|were) (?:i|we|you) doing)\b", re.I)
_AHEAD = re.compile(r"\b(?:will|shall|going to|werden|wird)\b", re.I)
# "What did I say about May?" has a subject; "What did we talk about last week?" has none.
_SUBJECT = re.compile(
    r"\b(?:say|said|tell \w+|told \w+|mention|mentioned|write|wrote|written)\s+about\s*(?:the\s*)?$", re.I
)


def asks_only_for_time(text: str, times: Sequence[Interval]) -> bool:
    """Whether a question names times, speaks of talking or happening, and of nothing else."""
    if not _may_be_of(text, times):
        return False
    rest = _without(text, [one.span for one in times])
    words = _words_of(rest)
    talk = sum(word in _talk_words() for word in words) + bool(_DO.search(rest))
    if not rest.isascii() and _SPACELESS.search(rest):
        left, found = _talk_runs().subn(" ", rest)
        talk += found
        words = _words_of(_particles().sub(" ", in_runs().sub(" ", left)))
    return talk > 0 and _say_nothing([word for word in words if word not in _talk_words()])


def asks_what_one_said(text: str, times: Sequence[Interval]) -> str:
    """The name of the one whose words in a time a question asks for, and for nothing else; empty if it does not."""
    if not _may_be_of(text, times):
        return ""
    words = _words_of(_without(text, [one.span for one in times]))
    known = {word for word in words if word in _said_words() or {word, fold_accents(word)} & latin_words().keys()}
    others = [place for place, word in enumerate(words) if word not in known]
    if not others or others[-1] - others[0] >= len(others) or any(map(_ASKS_OTHERWISE.fullmatch, known)):
        return ""
    is_theirs = others[0] == 0 or _TO_WHOM.fullmatch(words[others[0] - 1]) is None
    asks_nothing_else = not known.isdisjoint(_said_words()) and _say_nothing(sorted(known - _said_words()))
    return " ".join(words[place] for place in others) if is_theirs and asks_nothing_else else ""


def _may_be_of(text: str, times: Sequence[Interval]) -> bool:
    """Whether a question may be of some times: it is short, of what was, and none of them is only its subject."""
    if not times or len(text) > LONGEST_QUESTION or _AHEAD.search(text):
        return False
    return not any(_SUBJECT.search(text[: one.span[0]]) for one in times)


def _say_nothing(words: Sequence[str]) -> bool:
    """Whether these are function words, those in Latin letters all of one language: `car` is one in French."""
    left = [word for word in words if word not in other_words() and fold_accents(word) not in other_words()]
    languages = [{*latin_words().get(word, ()), *latin_words().get(fold_accents(word), ())} for word in left]
    return not left or bool(set.intersection(*languages))


def _words_of(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


@cache
def _talk_words() -> frozenset[str]:
    return _with_bare_forms(_TALK)


@cache
def _said_words() -> frozenset[str]:
    return _with_bare_forms(_SAID)


def _with_bare_forms(listed: str) -> frozenset[str]:
    """Words as they are written, and without their accents."""
    words = unicodedata.normalize("NFC", listed).split()
    return frozenset({*words, *(fold_accents(word) for word in words)})


@cache
def _talk_runs() -> re.Pattern[str]:
    return _one_of(_TALK_RUNS)


@cache
def _particles() -> re.Pattern[str]:
    return _one_of(_PARTICLES)


def _one_of(words: str) -> re.Pattern[str]:
    listed = sorted(unicodedata.normalize("NFC", words).split(), key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, listed)))
