"""Passwords and PINs said in other languages than English are masked before disk, and talk about passwords is not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import Memory, Turn, redact
from engramma.redaction import SECRETS, spoken_languages
from engramma.redaction.spoken_languages import LANGUAGES, PIN_WORDS, SPACED_WORDS, UNSPACED_WORDS

from .spoken_languages import HARMLESS, SAID

TEN = ("zh", "es", "hi", "ar", "bn", "pt", "ru", "ja", "de", "fr")
EACH = [(language, text) for language, texts in SAID.items() for text in texts]


def parts(text: str) -> tuple[str, str, str]:
    before, _, rest = text.partition("‹")
    secret, _, after = rest.partition("›")
    return before, secret, after


@pytest.mark.parametrize(("language", "text"), EACH, ids=[f"{language}-{n}" for n, (language, _) in enumerate(EACH)])
def test_a_password_said_in_any_language_is_masked_and_nothing_else(language: str, text: str):
    before, secret, after = parts(text)
    masked = redact(before + secret + after).text
    assert masked in {f"{before}[redacted:{kind}]{after}" for kind in ("password", "pin", "code")}


@pytest.mark.parametrize("language", HARMLESS)
def test_talk_about_passwords_is_left_alone(language: str):
    assert [redact(text).text for text in HARMLESS[language]] == list(HARMLESS[language])


def test_each_of_the_ten_languages_has_four_of_both():
    assert all(len(SAID[language]) >= 4 and len(HARMLESS[language]) >= 4 for language in (*TEN, *SAID))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("密码：Mao９９３２", "密码：[redacted:password]"),
        ("パスワード＝ｎｅｋｏ９９３２。", "パスワード＝[redacted:password]。"),
        ("كلمة السر: qitta9932،", "كلمة السر: [redacted:password]،"),
        ("हमारा पासवर्ड: billi9932।", "हमारा पासवर्ड: [redacted:password]।"),
    ],
)
def test_full_width_and_arabic_stops_are_no_part_of_it(text: str, masked: str):
    assert redact(text).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "Mật khẩu là ‹sen!442!›",
        "Mật khẩu của tôi: ‹hoa123!!›",
        "My password is ‹sen!442!›",
        "the password is '‹sen442.›'",
        "pw ‹sen!442?›",
        "use ‹sen!442!› as the password",
        "‹sen!442› is my password for the bank",
        "I changed my password from ‹sen!442› to something else",
        "Mein Passwort ist ‹sen!442!› und gilt bis Mai",
        "Mon mot de passe est ‹sen!442!›",
        "Mi contraseña es ‹sen!442!›",
        "Minha senha é ‹sen!442!›",
        "Moje hasło to ‹sen!442!›",
        "Мой пароль: ‹sen!442!›",
        "كلمة المرور هي ‹sen!442!›",
        "मेरा पासवर्ड है ‹sen!442!›",
        "密码是‹sen!442!›，别忘了",
        "パスワードは「‹sen!442!›」です",
        "비밀번호는 ‹sen!442!› 입니다",
        "รหัสผ่านคือ ‹sen!442!›",
        "Kata sandi saya adalah ‹sen!442!›",
        "Mật khẩu là ‹sen!442›.",
    ],
)
def test_the_signs_that_a_password_ends_with_are_masked_with_it(text: str):
    before, secret, after = parts(text)
    masked = redact(before + secret + after)
    assert masked.text == f"{before}[redacted:password]{after}"
    assert redact(masked.text).text == masked.text


def test_a_password_that_was_changed_is_masked_with_the_new_one():
    masked = redact("I changed my password from Tr0ub4dor&3x to 'Tr0ub4dor&4x'.").text
    assert masked == "I changed my password from [redacted:password] to '[redacted:password]'."


@pytest.mark.parametrize(
    "text", ["1Password is my password manager", "Move the passwords from LastPass1 to KeePass2", "It is my password."]
)
def test_what_is_said_of_passwords_stays(text: str):
    assert redact(text).text == text


def test_they_are_masked_where_all_secrets_are_before_anything_is_written(tmp_path: Path):
    assert set(LANGUAGES) <= set(SECRETS)
    turns = [
        Turn("user", "".join(parts(text)), datetime(2024, 5, 3, tzinfo=UTC), id=f"t{n}")
        for n, (_, text) in enumerate(EACH)
    ]
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c", "s", turns)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    secrets = [parts(text)[1] for _, text in EACH]
    assert [secret for secret in secrets if len(secret) > 4 and secret.encode() in written] == []


HOSTILE = [
    *(f"{word} " for word in (*SPACED_WORDS, *UNSPACED_WORDS, *PIN_WORDS)),
    *(
        "пароль: ",
        "密码是",
        "パスワードは「",
        "비밀번호는 a1",
        'hasło to "',
        "पासवर्ड है है ",
        "pin pin: 123",
        "parola parola",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_of_any_length_is_looked_at_a_bounded_number_of_times(piece: str, monkeypatch):
    """Twice the text gives at most twice the looks, and no look goes far."""
    looks = 0
    judge = spoken_languages.value_span

    def counted(string, one):
        nonlocal looks
        looks += 1
        return judge(string, one)

    monkeypatch.setattr(spoken_languages, "value_span", counted)
    counts = []
    for size in (5_000, 10_000):
        looks = 0
        text = (piece * size)[:size]
        redact(text)
        counts.append(looks)
        found = [rule.pattern.match(text, at) for rule in LANGUAGES for at in range(0, 400)]
        assert max((one.end() - one.start() for one in found if one), default=0) <= 300
    assert counts[1] <= 2 * counts[0] + 20


@pytest.mark.parametrize(
    "said",
    [
        "A wifi jelszava: Hunter2024",  # Hungarian, whose stem changes
        "Jelszavam: Hunter2024",
        "Moja lozinka je Hunter2024",
        "Моја лозинка је Hunter2024",
        "Паролата ми е Hunter2024",
        "Mano slaptažodis yra Hunter2024",
        "Moje geslo je Hunter2024",
        "Kata laluan saya ialah Hunter2024",
        "Parolum Hunter2024",
        "Mənim şifrəm Hunter2024",
        "O meu contrasinal é Hunter2024",
        "La meva contrasenya és Hunter2024",
        "Nenosiri langu ni Hunter2024",
        "Lykilorðið mitt er Hunter2024",
        "رمز عبور من Hunter2024 است",
    ],
)
def test_a_password_is_masked_in_smaller_languages_and_in_changed_stems(said: str):
    assert "Hunter2024" not in redact(said).text and said[:5] in redact(said).text


@pytest.mark.parametrize(
    "said",
    [
        "A jelszavunkat elfelejtettem 2024 elején.",
        "Zaboravio sam lozinku za Facebook.",
        "Nenosiri ni siri.",
        "A jelszó és Gmail2024 fiók is elveszett.",  # "and"
        'Geslo ni "varno".',  # "is not"
        "Geslo ni Windows11 združljivo.",
    ],
)
def test_talk_of_a_password_in_them_stays(said: str):
    assert redact(said).text == said
