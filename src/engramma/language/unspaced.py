"""What a question in a script without spaces asks for, and what of it a text has.

Nothing marks words there, so a question is cut at what only asks ("何ですか", "多少", "ของฉัน") and where the script
changes: what is left are its parts, each about a word or two. Parts are looked for in pieces: pairs of characters, of
letters that stand for single sounds four, of Hangul words without their particle. A text has pieces everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from ..patterns import late
from .function_words import in_runs, run_words
from .graphemes import cut_place, cut_places, first_characters
from .lexical import SPELLED, UNSPACED, normalize_text

PAIR = 2  # characters of Han, kana and Hangul that tell about as much as a word
LONE = "\u2027"  # before a sign that stands without others
_APART = "\n"  # between runs, in none of them
SOUNDS = 4  # letters of Thai, Lao, Khmer or Burmese that do
ALONE = 0.5  # a character of a longer part that a text has, without the one beside it: 大 and 学 do not make 大学
MOST_PARTS = 64  # of a question, as of its words (language/lexical.py): a pasted page has thousands
READ = 4_000  # characters of a question
FEWEST = {"sounds": 24, "signs": 16}  # characters of a quote that is understood alone

_RUN = late(f"[{UNSPACED}]+")
_HANGUL = late("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+")
_SCRIPT = late(
    "(?P<hangul>[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+)|(?P<hiragana>[\u3041-\u309f]+)"
    "|(?P<katakana>[\u30a0-\u30ff\u31f0-\u31ff]+)|(?P<sounds>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
    "|(?P<signs>.)"
)
# Words of questions that say who asks or of what kind the answer is, not what it is about: beside those that a search
# leaves out, too (language/function_words.py).
_ASKING = """
    我 你 您 他 她 它 谁 誰 几 幾 哪 叫 在 做 钱 錢 名字 自己 多少钱 多少錢 哪天 哪年 哪一天 哪一年
    东西 東西 那里 那儿 这里 以后 几点 几号 几月 几天 几年 几次 几个 几岁 几年级 星期几 周几 礼拜几
    幾點 幾號 幾個 幾歲 多长时间 多長時間
    私 僕 俺 自分 あなた 名前 いつ 何時 何日 何月 何年 何曜日 何人 何個 何回 何度 何歳 いくつ
    どこですか どこでしたか ある あり いる いた おり する した して された される なる なり
    なった だった できる こと もの なん なに
    ฉัน ดิฉัน ผม ของ ที่ คือ เป็น ชื่อ อยู่ กับ ได้ วันไหน ไหน กี่โมง กี่คน
"""
_EDGES = late("^(?:[有要想到个個给給最]|去(?!年))+|(?:[有要想到个個给給去])+$")  # beside a Chinese word, not in it
# Han signs that stand in hundreds of words: such a one tells nothing beside others, and in Japanese only where none is
# beside it, as in 生まれ and not in 三年生.
_COMMON = "一不人大小上下中日月年生学子家里来去出到天地时時会會有无無多少新老好手事物者方国國本分前後后車"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_COMMON_SIGN = late(f"[{_COMMON}]")
_TELLING_SIGN = late(f"(?![{_COMMON}])[{_HAN}]")
_LONE_SIGN = late(f"(?<![{_HAN}])[{_COMMON}](?![{_HAN}])")
_KANA = late("[\u3041-\u309f\u30a0-\u30ff]")
_POLITE = late("(?:さん|くん|ちゃん|さま|様|君|氏|先生|씨|님)$|^คุณ")
_CALLED = late("名前|名字|叫|姓|ชื่อ|이름|呼[びんば]|という|といいます|っていう")
_PARTICLES = "はがをにでとものへやかねよなだ"
_FIRST_PARTICLES = "はがをにでのへ"  # after a name that was left out
_HANGUL_ASKING = "제 내 나 저 나의 저의 우리 이름 뭐 뭘 뭐라고 무슨 언제 몇 얼마 누가 어느 있 있는 하 했 이 네"
_HANGUL_VERB = late("[가-힣][어아요까니지래]$")
_HANGUL_ENDING = late(
    "(?:에서는|에서|에게|한테|으로|까지|부터|이랑|이나|은|는|이|가|을|를|에|의|도|로|와|과|랑|만"
    "|(?:하|했|되|됐|였|이었)?(?:나요|습니까|어요|아요)|해요|예요|이에요|입니까|인가요|야)$"
)


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A part of a question: about how many words it is, and the pieces that it is looked for by."""

    text: str
    words: int
    pieces: tuple[str, ...]

    def share_in(self, said: frozenset[str]) -> float:
        """How much of it a text has, by the text's pieces: 0 to 1."""
        if len(self.pieces) == 1 and (len(self.text) == 1 or self.pieces[0] in said):
            return float(self.pieces[0] in said)
        size, met = len(self.pieces[0]), set[int]()
        for place, piece in enumerate(self.pieces):
            if piece in said:
                met.update(range(place, place + size))
        lone = [sign for place, sign in enumerate(self.text) if place not in met and _TELLING_SIGN.match(sign)]
        alone = sum(sign in said for sign in lone)
        return (len(met) + ALONE * alone) / len(self.text)


def has_runs(text: str) -> bool:
    """Whether anything of a text is in a script without spaces."""
    return not text.isascii() and _RUN.search(text) is not None


def is_spelled(text: str) -> bool:
    """Whether anything of a text is in a script without spaces whose letters stand for single sounds."""
    return SPELLED.search(text) is not None


def without_runs(text: str) -> str:
    """A text without what is in such scripts."""
    return text if text.isascii() else _RUN.sub(" ", text)


@lru_cache(maxsize=256)
def asked_parts(question: str) -> tuple[AskedPart, ...]:
    """The parts of a question that say what it is about, each once; of one that only asks, what it asks with. Of a
    pasted page the first ones."""
    runs = _RUN.findall(normalize_text(first_characters(question, READ)))
    parts = _first_of(part for run in _without_verb(runs) for part in _parts(run))
    if not parts:
        parts = _first_of(part for run in runs for part in in_runs().split(run) if len(part) >= PAIR)
    kana = _KANA.search(question) is not None
    return tuple(AskedPart(part, _words(part), _pieces(part, kana)) for part in parts)


def _first_of(parts: Iterable[str]) -> list[str]:
    """The first parts, each once."""
    found = dict[str, None]()
    for part in parts:
        found[part] = None
        if len(found) == MOST_PARTS:
            break
    return list(found)


@lru_cache(maxsize=512)
def text_pieces(text: str) -> frozenset[str]:
    """Every piece of a text by which a part of a question may be found in it."""
    runs = set(_RUN.findall(normalize_text(text)))
    spelled = {run for run in runs if SPELLED.match(run)}
    return frozenset(piece for piece in _sounds(spelled) | _signs(runs - spelled) if _APART not in piece)


def name_place(text: str, name: str) -> int:
    """Where a text has a name in a script without spaces, as whole characters; -1 if nowhere."""
    if len(name) < PAIR or not has_runs(name):
        return -1
    at = text.find(name)
    while at >= 0 and not _is_cut(text, at, at + len(name)):
        at = text.find(name, at + 1)
    return at


def has_name(text: str, name: str) -> bool:
    """Whether a text has any word of a name in a script without spaces."""
    return any(name_place(text, word) >= 0 for word in name_forms(name))


@lru_cache(maxsize=20_000)
def name_forms(name: str) -> tuple[str, ...]:
    """The words of such a name, also without what is said of politeness; none of a name in other scripts."""
    words = [word for word in name.split() if has_runs(word)]
    return tuple(dict.fromkeys(form for word in words for form in (word, _POLITE.sub("", word)) if len(form) >= PAIR))


def without_names(text: str, names: Iterable[str]) -> str:
    """A question in such a script without the names in it, which say who and not what."""
    found = (form for name in names for form in name_forms(name))
    for form in sorted(found, key=lambda one: (-len(one), one)):
        text = text.replace(form, " ")
    return text


def tells_name(text: str) -> bool:
    """Whether a text in such a script speaks of what somebody or something is called."""
    return _CALLED.search(text) is not None


def is_brief(text: str) -> bool:
    """Whether a sentence in such a script is too short to be quoted alone."""
    fewest = FEWEST["sounds"] if SPELLED.search(text) else FEWEST["signs"]
    return has_runs(text) and len(text) < fewest


def _without_verb(runs: list[str]) -> list[str]:
    """The runs of a question without the verb that ends one in Korean: it has too many forms to be looked for."""
    return runs[:-1] if len(runs) > 1 and _HANGUL_VERB.search(runs[-1]) else runs


def _parts(run: str) -> Iterator[str]:
    if _HANGUL.fullmatch(run):
        word = _HANGUL_ENDING.sub("", run)
        if word and word not in _HANGUL_ASKING.split() and not (in_runs().fullmatch(run) or in_runs().fullmatch(word)):
            yield word
        return
    for piece in filter(None, _asking().split(run)):
        if SPELLED.match(piece):
            yield piece
        else:
            yield from _japanese_or_chinese(piece)


def _japanese_or_chinese(piece: str) -> Iterator[str]:
    """The parts of what is written in Han or kana; endings of words and particles are none."""
    signs = ""
    follows_sign = False
    for found in _SCRIPT.finditer(piece):
        kind = found.lastgroup
        if kind == "signs":
            signs += found[0]
            follows_sign = True
            continue
        yield from filter(None, (_EDGES.sub("", signs),))
        signs = ""
        if kind == "hiragana":
            if (word := _kana_word(found[0], follows_sign)) and not _asking().fullmatch(word):
                yield word
        else:
            yield found[0]
        follows_sign = kind == "katakana"
    yield from filter(None, (_EDGES.sub("", signs),))


def _kana_word(kana: str, follows_sign: bool) -> str:
    """The word in a run of hiragana, without particles; after a Han sign all up to a particle is that word's ending."""
    if follows_sign:
        at = next((place for place, sign in enumerate(kana) if sign in _PARTICLES), len(kana))
        kana = kana[at + 1 :]
    elif len(kana) > PAIR and kana[0] in _FIRST_PARTICLES:
        kana = kana[1:]
    if len(kana) > PAIR and kana[-1] in _PARTICLES:
        kana = kana[:-1]
    return kana if len(kana) >= PAIR else ""


def _words(part: str) -> int:
    if SPELLED.match(part):
        return max(1, round(len(part) / (SOUNDS + 1)))
    script = _SCRIPT.match(part)
    is_one = script is not None and script.lastgroup in ("katakana", "hangul", "hiragana")
    return 1 if is_one else -(-len(part) // PAIR)


def _pieces(part: str, is_japanese: bool) -> tuple[str, ...]:
    if is_japanese and _COMMON_SIGN.fullmatch(part):
        return (LONE + part,)
    size = SOUNDS if SPELLED.match(part) else PAIR
    if len(part) <= size:
        return (part,)
    return tuple(part[place : place + size] for place in range(len(part) - size + 1))


def _sounds(runs: set[str]) -> set[str]:
    """Every four letters of runs, and what is shorter and of whole characters."""
    joined = _APART.join(runs)
    found = {joined[at : at + SOUNDS] for at in range(len(joined) - SOUNDS + 1)}
    for run in runs:
        places = cut_places(run)
        for count in range(1, SOUNDS):
            ends = zip(places, places[count:], strict=False)
            found.update([run[start:end] for start, end in ends if end - start < SOUNDS])
    return found


def _signs(runs: set[str]) -> set[str]:
    """Every two signs of runs, and every one; a syllable of Hangul is a word only where one begins."""
    joined = _APART.join(runs)
    found = {one + other for one, other in pairwise(joined)}
    found.update(sign for sign in set(joined) if not _HANGUL.match(sign))
    found.update(run[0] for run in runs)
    if _KANA.search(joined):
        found.update(LONE + sign for run in runs if _KANA.search(run) for sign in _LONE_SIGN.findall(run))
    return found


def _is_cut(text: str, start: int, end: int) -> bool:
    """Whether both ends of a part are between characters as people see them."""
    return cut_place(text, start) == start and cut_place(text, end) == end


@cache
def _asking() -> re.Pattern[str]:
    """What only asks; in Thai not after a vowel that is written before its consonant, where no word begins."""
    words = normalize_text(" ".join((_ASKING, *run_words()))).split()
    longest = sorted(map(re.escape, words), key=lambda word: (-len(word), word))
    return re.compile(f"(?<![เแโใไ])(?:{'|'.join(longest)})")
