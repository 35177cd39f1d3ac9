"""Questions in a language that nobody is answered in here and that is near enough to another to be taken for it.

Malay is read with Indonesian's function words, Azerbaijani with Turkish ones and Galician with Portuguese or Spanish
ones, which is right for a search. An answer in the bigger language would be rude, so words that only the smaller one
has tell them apart. A question without any such word stays with the bigger one, as "Siapa nama kucing saya?", which is
both.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from ..patterns import late

READ = 500  # characters
SHARE = 8  # one such word in so many tells the language: in a long text a single one is quoted

_WORD = late(r"[^\W\d_]+")
_MALAY = """
    bilakah isteri baharu doktor nombor telefon basikal motosikal filem jumaat isnin khamis universiti kolej kerana
    hospital jururawat muzik teksi stesen televisyen mahu nak wang ubat tarikh haribulan mesyuarat percutian bercuti
    jurutera peguam akauntan setiausaha kahwin berkahwin khabar cuba cikgu encik pakcik makcik emel epal ais saiz
    peperiksaan laluan pangsapuri kerusi tandas awak kasut ketuhar arnab kat kesihatan syarikat
"""
_MALAY_FIRST = "bila adakah"  # Indonesian has them too, for "if", and seldom
_AZERBAIJANI = """
    harada hara haradan hansı hansıdır hansi haçan hacan yaşayır yasayir işləyir oxuyur oxuyuram yaxşı axşam vaxt vaxtı
    vaxtdır yox çox qızım qızımın qardaşım qardaşımın bacım bacımın uşaq uşaqlar otaq başqa qoymuşam qoydum getdim getdi
    gedirik gedir maşın maşınım xanım xanımım sevir olub doğulub nömrə haqqında
"""
_GALICIAN = """
    miña miñas nunha dunha algunha ningunha cando quen teño non xa xoves luns mércores venres onte mañá hoxe irmá irmán
    irmáns irmás fillo filla fillos fillas nai avoa túa súa túas súas dúas traballo traballa traballei traballar viaxar
    viaxe viaxei xogar xogo xente xeito facer dixo dixen dixeches vén imos houbo coa lle lles vostede vostedes chámase
    gústame gústalle rúa merquei mercou mercar ollos cabalo veciño veciña aínda tamén despois moito moita moitos moitas
    coñecín coñezo naceu naciches xaneiro xuño xullo decembro
"""
_GALICIAN_FIRST = "cal cales canto cantos"  # lime and song elsewhere
# Those whose neighbours they are, the words and letters that only they have, and the words that tell them first.
_NEIGHBOURS = {
    "ms": (("id",), _MALAY, "", _MALAY_FIRST),
    "az": (("tr",), _AZERBAIJANI, "ə", ""),
    "gl": (("pt", "es"), _GALICIAN, "", _GALICIAN_FIRST),
}


def neighbour_of(question: str, language: str) -> str:
    """The smaller language that a question is in, where its words were taken for those of a bigger one; else ""."""
    for name, (bigger, _, letters, _) in _NEIGHBOURS.items():
        if language in bigger and _is_in(question, name, letters):
            return name
    return ""


def _is_in(question: str, name: str, letters: str) -> bool:
    text = unicodedata.normalize("NFC", question[:READ])
    if "¿" in text:
        return False
    written = _WORD.findall(text.lower() if text.isupper() else text)
    own, first = _own_words(name)
    told = 0
    for place, word in enumerate(written):
        if place and word[0].isupper():
            continue  # a name
        small = word.replace("İ", "i").lower()
        told += small in own or (place == 0 and small in first) or any(one in small for one in letters)
    return SHARE * told >= max(1, len(written)) and told > 0


@cache
def _own_words(name: str) -> tuple[frozenset[str], frozenset[str]]:
    _, words, _, first = _NEIGHBOURS[name]
    return frozenset(words.split()), frozenset(first.split())
