"""Structured questions: how they are understood, what they find, and what they say where they find nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import networkx
import pytest
from typer.testing import CliRunner

from engramma import BadInput, Memory, Turn
from engramma.apps.cli.main import app
from engramma.language.fence import unfenced
from engramma.people.claims.facts import facts_for
from engramma.people.questions.pattern import Pattern, pattern_of
from engramma.recall.recipes import plan_for
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
TALK = (
    ("Ana", "I work at TechCorp."),
    ("Bo", "I work at Globex. My friend Cleo lives in Lisbon."),
    ("Ana", "I love hiking and my dog Biscuit."),
    ("Bo", "Atlas uses Python."),
    ("Ana", "Issue #42 depends on Atlas."),
    ("Bo", "I don't like hiking."),
)
LIKES, LIVES = ("likes", "favourite", "prefers"), ("lives_in", "moved_to")
SHAPES = [
    ("What does Ana like?", Pattern("Ana", LIKES)),
    ("what did Ana buy", Pattern("Ana", ("bought",))),
    ("Where does Ana live?", Pattern("Ana", LIVES)),
    ("What is Ana's job?", Pattern("Ana", ("works_as", "is_a"))),
    ("What pets does Ana have?", Pattern("Ana", ("has_pet",))),
    ("Who are Ana's children?", Pattern("Ana", ("has_child",))),
    ("What projects does Ana work on?", Pattern("Ana", ("works_on",))),
    ("Who works at TechCorp?", Pattern(None, ("works_at", "hired_by", "founded"), "TechCorp")),
    ("Who lives in Lisbon?", Pattern(None, LIVES, "Lisbon")),
    ("Who likes hiking?", Pattern(None, LIKES, "hiking")),
    ("Who is a nurse?", Pattern(None, ("is_a", "works_as"), "nurse")),
    ("What projects use Python?", Pattern(None, ("uses", "depends_on", "runs_on"), "Python", "project")),
    ("Which companies use Kubernetes?", Pattern(None, ("uses", "depends_on", "runs_on"), "Kubernetes", "organisation")),
    ("What is related to issue 42?", Pattern("issue 42", anything=True)),
    ("What do you know about Ana?", Pattern("Ana", anything=True)),
    ("Where do Bo's friends live?", Pattern("Bo", LIVES, via=("has_friend",))),
    ("subject=Ana relation=likes", Pattern("Ana", LIKES)),
    ('relation=uses value="Python 3"', Pattern(None, ("uses", "depends_on", "runs_on"), "Python 3")),
    ("subject=Ana relation=works at value=TechCorp", Pattern("Ana", ("works_at",), "TechCorp")),
]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        turns = [Turn(who, text, START + timedelta(minutes=n), f"t{n}") for n, (who, text) in enumerate(TALK)]
        memory.remember_session("talk", "one", turns)
        yield memory


@pytest.mark.parametrize(("question", "pattern"), SHAPES, ids=[question for question, _ in SHAPES])
def test_how_a_question_is_understood(question, pattern):
    found = pattern_of(question)
    if question.startswith("subject=Ana relation=works"):
        assert (found.subject, found.relations[0], found.value) == ("Ana", "works_at", "TechCorp")
    else:
        assert found == pattern


@pytest.mark.parametrize("question", ["How is the weather today?", "Hello", "Why?", "2 + 2", "Do you think so?"])
def test_what_is_not_understood_is_said(memory, question):
    answer = memory.claims.graph_query(question)
    assert answer.pattern is None and not answer.facts and "cannot answer this kind of question" in answer.understood


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who works at TechCorp?", {"Ana"}),
        ("who works at tech corp", {"Ana"}),
        ("Where does Bo work?", {"Globex"}),
        ("Who likes hiking?", {"Ana"}),
        ("What uses Python", {"Atlas"}),
        ("subject=Atlas relation=uses", {"Python"}),
        ("relation=uses value=Python", {"Atlas"}),
        ("What pets does Ana have?", {"Biscuit"}),
        ("subject=Ana relation=works_at value=Globex", set()),
    ],
)
def test_what_the_graph_answers(memory, question, answers):
    assert set(memory.claims.graph_query(question).answers) == answers


def test_every_fact_has_its_source(memory):
    answer = memory.claims.graph_query("Who works at TechCorp?")
    ((claim,),) = [fact.claims for fact in answer.facts]
    assert (claim.conversation, claim.turn_ids, claim.speaker) == ("talk", ("t0",), "Ana")
    assert "TechCorp" in claim.quote


def test_what_is_related_goes_both_ways(memory):
    answer = memory.claims.graph_query("What is related to Atlas?")
    assert {"Python", "Issue #42"} <= set(answer.answers)
    answer = memory.claims.graph_query("What is related to issue 42?")
    assert "Atlas" in answer.answers


def test_two_hops(memory):
    answer = memory.claims.graph_query("Where do Bo's friends live?")
    assert answer.answers == ("Lisbon",)
    assert [(fact.subject, fact.value) for fact in answer.facts] == [("Bo", "Cleo"), ("Cleo", "Lisbon")]


def test_nobody_of_that_name_is_said(memory):
    answer = memory.claims.graph_query("What does Zora like?")
    assert not answer.answers and "Nobody and nothing here is called 'Zora'" in answer.understood


def test_bad_input(memory):
    for call in (
        lambda: memory.claims.graph_query(" "),
        lambda: memory.claims.entity(""),
        lambda: memory.claims.all(limit=0),
    ):
        with pytest.raises(BadInput):
            call()
    with pytest.raises(BadInput):
        memory.claims.export_graph("graph.svg", "svg")
    with pytest.raises(BadInput):
        memory.claims.export_graph("/no/such/folder/graph.json")


# --- beside a recall -----------------------------------------------------------------------------


def test_facts_are_shown_below_a_recall_with_source_and_date_if_the_plan_says_so(memory):
    later = START + timedelta(days=40)
    memory.remember_session("later", "one", [Turn("Bo", "Shall we meet at TechCorp?", later, "l0")])
    plain = plan_for("vector", {})
    question = "What uses Python, and who works on it?"
    told = memory.recall(question, 1, replace(plain, facts=5), conversation=None)
    before = memory.recall(question, 1, plain)
    assert unfenced(told.context).startswith(unfenced(before.context)) and told.candidates == before.candidates
    extra = unfenced(told.context).removeprefix(unfenced(before.context))
    shown = {id for candidate in before.candidates for id in candidate.turn_ids}
    fact = "| fact | t3 | talk | known beside this]\nBo:\n> Atlas uses Python"
    assert (fact in extra and "[2026-03-01" in extra) == ("t3" not in shown)
    assert told.tokens >= before.tokens
    assert memory.recall(question, 1, replace(plain, facts=5), budget_tokens=1).context.count("known beside") == 0


def test_facts_know_hops_words_and_days(memory):
    memory.claims.extract()
    turns = memory._core.store.keys("turns_with_id", id="t4", conversation="talk", session=None).tolist()
    names = [(fact.subject, fact.value) for fact in facts_for(memory._core.store, "Which Python is it?", turns, 5)]
    assert names == [("Atlas", "Python")], "two hops from issue 42, and only what the question asks about"
    assert facts_for(memory._core.store, "Which Python?", turns, 5, until=START) == [], "not known by then"
    assert facts_for(memory._core.store, "Which Python?", turns, 5, shown={("talk", "t3")}) == [], (
        "it stands there anyway"
    )


# --- files ---------------------------------------------------------------------------------------


def test_the_graph_as_json(tmp_path, memory):
    entities, facts = memory.claims.export_graph(tmp_path / "graph.json")
    whole = json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
    assert (len(whole["entities"]), len(whole["relations"]) + len(whole["statements"])) == (entities, facts)
    names = {node["id"]: node["name"] for node in whole["entities"]}
    (edge,) = [edge for edge in whole["relations"] if names[edge["target"]] == "TechCorp"]
    assert (names[edge["source"]], edge["relation"], edge["sources"]) == ("Ana", "works_at", ["talk/t0"])


def test_the_graph_as_graphml_is_read_by_networkx(tmp_path, memory):
    odd = "I work at A&B <\"Ünï\"> 'Ltd'."
    memory.remember_session("odd", "one", [Turn("Dó <\x07", odd, START, "t")])
    memory.claims.export_graph(tmp_path / "graph.graphml", "graphml")
    graph = networkx.read_graphml(tmp_path / "graph.graphml", force_multigraph=True)
    names = {id: node["name"] for id, node in graph.nodes(data=True)}
    edges = {(names[a], edge["relation"], names[b]) for a, b, edge in graph.edges(data=True)}
    assert ("Ana", "works_at", "TechCorp") in edges
    assert all(isinstance(node["mentions"], int) for _, node in graph.nodes(data=True))
    assert any(name.startswith("Dó <") for name in names.values())
    negated = [edge for _, _, edge in graph.edges(data=True) if edge["negated"]]
    assert negated and isinstance(negated[0]["confidence"], float)


def test_the_graph_in_networkx(memory):
    graph = memory.claims.networkx()
    names = networkx.get_node_attributes(graph, "name")
    assert ("Ana", "TechCorp") in {(names[a], names[b]) for a, b in graph.edges()}
    assert isinstance(graph, networkx.MultiDiGraph)


# --- commands ------------------------------------------------------------------------------------


def ran(memory: Memory, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["--store", str(memory.path), *arguments])
    return result.exit_code, result.stdout


@pytest.mark.not_on("encrypted")
def test_the_commands_say_what_the_calls_say(tmp_path, memory):
    assert ran(memory, "claims", "Ana", "--relation", "works_at")[1].startswith("0.90  Ana works at TechCorp")
    listed = json.loads(ran(memory, "claims", "--json", "--turn", "t1")[1])
    assert {claim["turn_ids"][0] for claim in listed} == {"t1"}
    assert "TechCorp  organisation  1 time" in ran(memory, "entities", "--type", "organisation")[1]
    assert json.loads(ran(memory, "entity", "techcorp", "--json")[1])["entity"]["name"] == "TechCorp"
    assert ran(memory, "entity", "Nobody")[0] == 1
    assert ran(memory, "graph-query", "Who works at TechCorp?")[1].splitlines()[0] == "Ana"
    assert ran(memory, "graph-query", "Hello")[0] == 1
    assert ran(memory, "export-graph", str(tmp_path / "g.graphml"))[0] == 0
    assert networkx.read_graphml(tmp_path / "g.graphml").number_of_nodes() > 3


# --- questions about oneself ------------------------------------------------------------------------

OWN = (
    "My wife is called Anna. My sister Ines lives in Ghent. My brother Jonas works at Globex.",
    "My dog Biscuit is 4. I live in Lisbon and my mum is a nurse.",
    "My boss is Sofia. My neighbour is Polish. My best friend Kim is a vet.",
)


def remembered(path, speaker, texts):
    with Memory.open(path / "store", embedder=HashEmbedder()) as memory:
        memory.remember_session("own", "one", [Turn(speaker, text, START, f"t{n}") for n, text in enumerate(texts)])


@pytest.fixture(scope="module", params=["user", "Ben"])
def own(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("own")
    remembered(path, request.param, OWN)
    with Memory.open(path / "store", embedder=HashEmbedder()) as memory:
        yield memory


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who is my wife?", ("Anna",)),
        ("What is my wife's name?", ("Anna",)),
        ("What's the name of my wife?", ("Anna",)),
        ("Who is my sister?", ("Ines",)),
        ("What is my brother's name?", ("Jonas",)),
        ("Where does my sister live?", ("Ghent",)),
        ("Where does my brother work?", ("Globex",)),
        ("Where do I live?", ("Lisbon",)),
        ("What is my dog's name?", ("Biscuit",)),
        ("Who is my husband?", ()),
        ("Who's my boss?", ("Sofia",)),
        ("Who is my neighbour?", ()),
        ("Who is my best friend?", ("Kim",)),
        ("What is my best friend's name?", ("Kim",)),
    ],
)
def test_my_is_the_users_or_of_the_only_one_who_speaks(own, question, answers):
    found = own.claims.graph_query(question)
    assert found.answers == answers, found.understood
    assert not answers or all(fact.claims for fact in found.facts)


def test_a_relative_without_a_name_is_told_as_said(own):
    assert own.claims.graph_query("Who is my mother?").answers == ("mum",)


def test_my_of_nobody_is_said(memory):
    answer = memory.claims.graph_query("Who is my wife?")
    assert not answer.facts and "'I' and 'my'" in answer.understood
    assert "Ana" in memory.claims.graph_query("Tell me about TechCorp").answers


# --- questions about things, as they are asked in a shell ---------------------------------------------

THINGS = (
    "The Beacon project uses Python.",
    "Issue 42 blocks the 2.1 release.",
    "Issue 42 is related to the login timeout.",
    "Ticket 311 depends on issue 42.",
    "The Heron service is written in Kotlin and runs on Kubernetes.",
)


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    path = tmp_path_factory.mktemp("things")
    remembered(path, "user", THINGS)
    return path / "store"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what projects use Python?", ["Beacon"]),
        ("What does Beacon use?", ["Python"]),
        ("what is related to issue 42?", ["2.1 release", "login timeout", "Ticket 311"]),
        ("What blocks the 2.1 release?", ["Issue 42"]),
        ("What depends on issue 42?", ["Ticket 311"]),
        ("What runs on Kubernetes?", ["Heron service"]),
        ("What is written in Kotlin?", ["Heron service"]),
    ],
)
def test_things_are_asked_for_in_the_shell(things, question, answers):
    result = CliRunner().invoke(app, ["--store", str(things), "--json", "graph-query", question])
    assert result.exit_code == 0, result.output
    assert sorted(json.loads(result.stdout)["answers"], key=str.lower) == sorted(answers, key=str.lower)
