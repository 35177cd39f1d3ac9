"""One human is one person, and two of one name can be two."""

from __future__ import annotations

import pytest

from engramma.errors import BadInput

pytestmark = pytest.mark.on("postgres", "encrypted")


def known(memory) -> dict[str, int]:
    return {one.name: one.claims for one in memory.people.all()}


def well(memory) -> bool:
    return all(check.ok for check in memory.admin.doctor())


@pytest.fixture
def chat(memory, say_lines):
    say_lines("chat", "user: I work at Volvo.", "assistant: Good to know.")
    return memory


def test_me_makes_the_user_one_with_a_name_and_undo_takes_it_back(chat, say_lines):
    say_lines("phone", "Nora Lindqvist: I moved to Lyon.", "Johan Berg: Great.")
    made = chat.people.me("Nora Lindqvist")
    assert known(chat)["Nora Lindqvist"] == 2 and "user" not in known(chat)
    say_lines("later", "user: I bought a boat.", "assistant: Nice.")
    assert known(chat)["Nora Lindqvist"] == 3 and chat.people.me().name == "Nora Lindqvist"
    chat.undo(made.act)
    assert known(chat)["user"] == 2 and known(chat)["Nora Lindqvist"] == 1 and well(chat)
    assert chat.people.me() is None


def test_me_names_a_user_of_whom_nothing_else_is_known(chat):
    made = chat.people.me("Nora")
    assert known(chat) == {"Nora": 1} and chat.people.me() == made
    with pytest.raises(BadInput, match="You are Nora"):
        chat.people.me("Johan")


def test_who_the_user_is_can_be_inferred_from_what_the_user_says(chat, say_lines):
    say_lines("c2", "user: My name is Nora Lindqvist.", "assistant: Hello.")
    found = chat.people.me()
    assert found is not None and found.name == "Nora Lindqvist" and not found.said


def test_a_first_name_is_joined_with_the_one_whole_name_and_stays_apart_once_undone(memory, say_lines):
    say_lines("a", "Nora Lindqvist: I work at Volvo.", "Johan Berg: Nice.")
    say_lines("b", "Nora: I moved to Lyon.", "Johan Berg: Nice.")
    assert known(memory)["Nora Lindqvist"] == 2 and "Nora" not in known(memory)
    (act,) = [act for act in memory.acts.all() if act.detail.get("what") == "short"]
    memory.undo(act.id)
    say_lines("c", "Nora: I bought a boat.", "Johan Berg: Nice.")
    assert known(memory)["Nora"] == 2 and known(memory)["Nora Lindqvist"] == 1 and well(memory)


def test_a_first_name_of_two_is_nobodys(memory, say_lines):
    say_lines("a", "Nora Lindqvist: I work at Volvo.", "Nora Berg: Nice.")
    say_lines("b", "Nora: I moved to Lyon.", "Johan: Nice.")
    assert {"Nora", "Nora Berg", "Nora Lindqvist"} <= set(known(memory))


def test_a_first_name_that_another_has_in_short_is_nobodys(memory, say_lines):
    say_lines("a", "Bartek Nowak: I sell bricks.", "Johan Berg: Nice.")
    say_lines("b", "Bart: I moved to Lyon.", "Johan Berg: Nice.")
    say_lines("c", "Bartek: I bought a boat.", "Johan Berg: Nice.")
    assert known(memory)["Bartek"] == known(memory)["Bartek Nowak"] == 1


def test_who_talk_with_each_other_are_two_and_may_be_asked_for(memory, say_lines):
    say_lines("a", "Nora: I live in Bonn.", "Nora Lindqvist: I live in Rome.")
    say_lines("b", "Nora: I bought a boat.", "Johan: Nice.")
    assert known(memory)["Nora"] == 2 and known(memory)["Nora Lindqvist"] == 1
    (asked,) = [item for item in memory.review.all("entity").items if "Nora" in str(item)]
    memory.review.accept(asked.id)
    assert known(memory)["Nora Lindqvist"] == 3 and "Nora" not in known(memory)


@pytest.mark.parametrize("own", ["You", "user", "User"])
def test_who_talks_with_the_user_by_the_users_first_name_is_somebody_else(memory, say_lines, own):
    say_lines("phone", f"{own}: I am fine.", "Nora: I live in Bonn.")
    made = memory.people.me("Nora Lindqvist")
    assert (made.joined, made.perhaps) == ((), ())
    assert known(memory)["Nora"] == 1
    assert not memory.ask("Where do I live?").text


def test_who_speaks_by_a_longer_name_is_told_where_only_the_first_is_given(chat, say_lines):
    say_lines("phone", "Nora Lindqvist: I moved to Lyon.", "Johan Berg: Great.")
    assert chat.people.me("Nora").perhaps == ("Nora Lindqvist",)
    assert known(chat)["Nora Lindqvist"] == 1


def test_two_of_one_name_are_asked_for_and_told_apart_by_whom_they_talk_to(memory, say_lines):
    say_lines("a", "John: I work at TechCorp.", "Maria: Nice.")
    say_lines("b", "John: I moved to Lyon.", "James: Great.")
    (asked,) = memory.review.all("namesakes").items
    act = memory.review.accept(asked.id)
    assert known(memory)["John"] == 1 and known(memory)["John (James)"] == 1
    say_lines("b", "John: I bought a boat.", "James: Great.", session="s9")
    assert [claim.value for claim in memory.claims.all("John (James)")] != [] and well(memory)
    assert memory.review.all("namesakes").total == 0
    memory.undo(act.id)
    assert "John (James)" not in known(memory) and known(memory)["John"] >= 2 and well(memory)


def test_one_person_with_friends_who_know_each_other_is_not_asked_for(memory, say_lines):
    say_lines("a", "John: I work at TechCorp.", "Maria: Nice.")
    say_lines("b", "John: I moved to Lyon.", "James: Great.", "Maria: Oh.")
    assert memory.review.all("namesakes").total == 0


def test_a_group_and_its_longer_name_are_asked_for(memory, say_lines):
    for n in range(3):
        say_lines(f"c{n}", "Ana: I went to a support group.", "Bo: Good.")
        say_lines(f"d{n}", "Ana: I went to an LGBTQ support group.", "Bo: Good.")
    (pair,) = memory.review.all("entity").items
    assert "support group may be LGBTQ support group" in pair.reason
    memory.review.accept(pair.id)
    assert memory.claims.entity("support group").entity.name == "LGBTQ support group"


def test_counts_agree_and_a_part_of_a_name_is_hinted_at(memory, say_lines):
    say_lines("a", "Nora Lindqvist: I work at Volvo.", "Johan Berg: I love rowing.")
    assert len(memory.people.all()) == memory.people.count() == memory.profiles.page()[1] == 2
    assert memory.admin.figures()["people"] == 2
    assert memory.people.names_like("Lindqvist") == ["Nora Lindqvist"]


def test_a_first_name_finds_the_only_person_who_has_it_everywhere(memory, say_lines):
    say_lines("a", "Nora Lindqvist: I work at Volvo.", "Siân Slams: I love rowing.", "Johan Berg: I ski.")
    say_lines("b", "Johan Ek: I live in Lyon.", "Rosa: I moved to Oslo.")
    assert memory.people.get("Nora").name == memory.profiles.get("nora")["name"] == "Nora Lindqvist"
    assert memory.claims.entity("sian").entity.name == memory.people.get("Sian").name == "Siân Slams"
    assert [claim.subject for claim in memory.claims.all("Sian")] == ["Siân Slams"]
    assert memory.people.get("Johan") is None and {*memory.people.names_meant("Johan")} == {"Johan Berg", "Johan Ek"}
    assert memory.people.names_meant("rosa") == ["Rosa"] and memory.people.names_meant("Berg") == []


def test_a_question_about_two_people_reaches_both(memory, say_lines):
    say_lines("a", "Ana: I love sailing on weekends.", "Cleo: I hate boats.", "Ana: I work at TechCorp.")
    say_lines("b", "Bo: I love baking bread.", "Dan: Great.", "Bo: I live in Lyon.")
    question = "What do Ana and Bo love?"
    assert {"I love sailing on weekends.", "I love baking bread."} <= {
        one.text for one in memory.recall(question, k=4).candidates
    }
    assert {"Ana", "Bo"} <= {one.speaker for one in memory.ask(question).evidence}


def test_a_first_name_is_joined_with_the_one_whole_name_that_a_purge_leaves(memory, say_lines):
    for talk, name in enumerate(("Bruno", "Bruno Costa", "Bruno Weber")):
        say_lines(f"c{talk}", f"{name}: I live in Rome.", "Ana: I like tea.")
    assert {"Bruno", "Bruno Costa", "Bruno Weber"} <= {*known(memory)}
    memory.purge(conversation="c2")
    assert {one for one in known(memory) if "Bruno" in one} == {"Bruno Costa"} and well(memory)
    assert "Weber" not in str(memory.acts.all(10))
