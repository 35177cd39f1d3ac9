"""Which questions describe whom they ask about instead of naming them."""

from __future__ import annotations

import pytest

from engramma.language.described import LONGEST, description_in


@pytest.mark.parametrize(
    ("question", "described"),
    [
        ("How old is the one who likes reading?", "likes reading"),
        ("what does the plumber who fixed the boiler charge", "fixed the boiler charge"),
        ("When is the birthday of my old neighbour whose dog is called Biscuit?", "dog is called Biscuit"),
        ("How much do I owe my friend from the climbing gym?", "the climbing gym"),
        ("What is the email of the person that won the quiz?", "won the quiz"),
        ("Where does Nora's colleague, who plays the cello, live?", "plays the cello"),
        ("Wie alt ist derjenige, der schnitzt?", "schnitzt"),
        ("Wo wohnt mein Onkel, der Krippen schnitzt?", "Krippen schnitzt"),
        ("Wie heißt die Kollegin, mit der ich laufe?", "ich laufe"),
        ("Où habite celle qui collectionne les timbres ?", "collectionne les timbres"),
        ("Quel âge a mon voisin dont le chien aboie ?", "le chien aboie"),
        ("¿En qué trabaja el que toca el violín?", "toca el violín"),
        ("¿Dónde vive la amiga que corre maratones?", "corre maratones"),
        ("Dove abita quella che suona il violino?", "suona il violino"),
        ("Quantos anos tem aquele que gosta de ler?", "gosta de ler"),
        ("Hoe oud is degene die graag leest?", "graag leest"),
        ("Сколько лет тому, кто любит читать?", "любит читать"),
        ("Где живёт женщина, которая играет на скрипке?", "играет на скрипке"),
        ("那个喜欢阅读的人，多大年纪了啊？", "喜欢阅读"),
        ("那位担任合伙人律师的，他的教育背景是什么呀？", "担任合伙人律师"),
        ("在银行上班的那个人，电话是多少？", "在银行上班"),
        ("那個喜歡閱讀的人幾歲？", "喜歡閱讀"),
        ("読書が好きな人は何歳ですか？", "読書が好きな"),
        ("책을 좋아하는 사람은 몇 살이야?", "책을 좋아하는"),
    ],
)
def test_the_description_is_found(question, described):
    assert description_in(question).rstrip() == described


@pytest.mark.parametrize(
    "question",
    [
        "How old is Bernd?",
        "When did Caroline go to the support group?",
        "Who is the one who likes reading?",
        "What is the name of the studio that Jon has opened?",
        "I met the one who likes reading. How old is she?",  # tells something, and goes on from it
        "Do you know who won?",
        "Wie alt ist Bernd, und wo wohnt er?",
        "Welches Buch, das ich las, war gut?",
        "Est-ce que je dois appeler ma mère ?",
        "¿En la que vive hay un jardín?",
        "O que eu disse sobre o Pedro?",
        "Wat zei de dokter?",
        "我叔叔今年多大了？",
        "那个活动的地点是什么？",
        "Bernd の誕生日はいつ？",
        "어머니 생신이 언제야?",
        "",
        f"How old is the one who likes {'very ' * LONGEST}long books?",
    ],
)
def test_other_questions_have_none(question):
    assert description_in(question) == ""
