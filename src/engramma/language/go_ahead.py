"""Messages that only tell an assistant to go on: they ask nothing of a memory."""

from __future__ import annotations

import re

MOST_WORDS = 8
LONGEST = 100  # characters of such a message
# Of these words alone a message has nothing that could be looked for.
URGING_WORDS = """
yes yeah yep yup no nope ok okay sure right correct exactly fine good great nice perfect cool awesome lovely lgtm
thanks thank you thx please now then and but also just so well done looks sounds works it's its it is that's that this
these those them all both everything one ones the a i we me let's let us both
continue continuing proceed go going on ahead keep resume carry start next step steps do try retry again once more
finish stop wait cancel abort undo redo revert last previous first second edit edits change changes option way
ja nein weiter mach mache bitte danke gut passt genau super nochmal noch mal das es so sieht aus jetzt stopp fertig
oui non continue continuez vas-y allez-y merci parfait encore fois d'accord c'est bon ça
sí si no continúa continua sigue adelante gracias perfecto vale otra vez hazlo de nuevo
sì vai avanti procedi grazie perfetto ancora una volta fallo bene sim não continuar prossiga segue siga obrigado
obrigada perfeito novo isso nee ga door verder graag bedankt goed opnieuw doe dat maar
да нет продолжай продолжайте дальше спасибо хорошо отлично давай ещё еще раз
请继续 继续吧 继续 好的 可以 谢谢 再试一次 続けて 続けてください はい ありがとう お願いします
もう一度 계속해 계속해줘 네 좋아요 감사합니다
"""
# Of these as well where the message says that it was done before.
REPEATED_WORDS = "run rerun execute build compile lint linter test tests check checks command script"
AGAIN_WORDS = "again rerun retry undo redo nochmal encore ещё"
_URGING = frozenset(URGING_WORDS.split())
_REPEATED = _URGING.union(REPEATED_WORDS.split())
_REPEATS = frozenset(AGAIN_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")


def only_urges(text: str) -> bool:
    """Whether a message says nothing but go on, yes, thanks, or once more: "continue", "run the tests again"."""
    if len(text) > LONGEST:
        return False
    words = [word.replace("’", "'") for word in _WORD.findall(text.casefold()) if len(word) > 1 or not word.isdecimal()]
    known = _REPEATED if _REPEATS.intersection(words) else _URGING
    return 0 < len(words) <= MOST_WORDS and known.issuperset(words)
