"""Recall by language: XQuAD's paragraphs found by words, by meaning and by both, in one table.

    python evaluate/bench/languages.py --xquad FOLDER [--memdaily FILE] [--limit 150] [--cache DIR] [--json OUT]

FOLDER has a file a language, `de.json.gz`: paragraphs, and questions with the number of theirs; `en.json.gz` must be
among them. Each paragraph is remembered as one utterance, and a question has found its own if that is among the first
five entries. A language's questions are asked over its own paragraphs ("own") and over the English ones ("across"), by
the recipes `bm25` (words), `vector` (meaning) and `default` (both), all over the same store. At least `--limit`
questions a language are asked, evenly spread over the file.

FILE has Chinese messages (MemDaily), a store a person: the share of those that answer a question among the first five.

Every text is embedded once; `--cache` keeps the vectors for the next run. The teacher of the packaged encoder knew
seven of the languages, so these have a mean of their own (docs/log/multilingual.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from engramma import Memory, Recall, Turn
from engramma.evaluate.cache import CachedEmbedder
from engramma.evaluate.report import recorded
from engramma.models.embed import Embedder
from engramma.models.load import load

ENGLISH = "en"
TEACHERS = ("ar", "de", "es", "ru", "th", "tr", "zh")  # the languages that the encoder's teacher knows
NAMES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "hi": "Hindi",
    "ro": "Romanian",
    "ru": "Russian",
    "th": "Thai",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
RECIPES = {"bm25": "words", "vector": "meaning", "default": "both"}
OWN, ACROSS = "own", "across"
FIRST = 5  # entries among which the paragraph has to be
QUESTIONS, PERSONS = 150, 80  # asked at least in each language; persons of MemDaily
MESSAGES = 20  # entries that MemDaily asks for, because one may have several messages
A_CONVERSATION = 40  # paragraphs
SAID_AT, SENT_AT = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC)  # paragraphs; messages

Figures = dict[str, dict[str, float]]  # by recipe: the share that is found, own and across


def read_packed(path: Path) -> Any:
    """JSON of a file, which may be packed."""
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def read_languages(folder: Path) -> dict[str, Any]:
    """Language -> its paragraphs and questions."""
    found = {path.name.split(".")[0]: read_packed(path) for path in sorted(folder.glob("*.json*"))}
    if ENGLISH not in found:
        sys.exit(f"{folder} has no {ENGLISH}.json.gz: questions are asked over the English paragraphs, too")
    return found


def spread_sample(questions: Sequence[Any], least: int) -> Sequence[Any]:
    """At least so many questions, evenly spread; all of them if there are no more."""
    return questions[:: max(1, len(questions) // least)]


def entry_turns(found: Recall, most: int) -> list[str]:
    """The turns of the first entries; neighbours, which only come along, do not count."""
    turns = [turn for candidate in found.candidates if candidate.role == "entry" for turn in candidate.turn_ids]
    return turns[:most]


def percent(values: Sequence[float]) -> float:
    return round(100 * float(mean(values)), 1)


@contextmanager
def paragraphs_stored(paragraphs: Sequence[str], embedder: Embedder) -> Iterator[Memory]:
    """A store with an utterance a paragraph, whose turn has the paragraph's number for an id."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=embedder) as memory:
        for number, text in enumerate(paragraphs):
            turn = Turn(speaker="Reader", text=text, said_at=SAID_AT, id=str(number))
            memory.remember_session(f"p{number // A_CONVERSATION}", f"p{number}", [turn])
        yield memory


def share_found(memory: Memory, questions: Sequence[Any], recipe: str, told: Callable[[], None]) -> float:
    """In percent, the questions whose paragraph is among the first entries."""
    hits = []
    for question in questions:
        found = memory.recall(question["question"], k=FIRST, recipe=recipe)
        hits.append(str(question["paragraph"]) in entry_turns(found, FIRST))
        told()
    return percent(hits)


def measure_languages(files: Mapping[str, Any], least: int, embedder: Embedder, progress: Progress) -> dict[str, Any]:
    """Language -> how many questions were asked, and what each recipe found."""
    asked = {language: spread_sample(one["questions"], least) for language, one in files.items()}
    runs = sum(len(RECIPES) * len(questions) * (1 + (name != ENGLISH)) for name, questions in asked.items())
    bar = progress.add_task("English paragraphs", total=runs)
    languages: dict[str, Any] = {}
    with paragraphs_stored(files[ENGLISH]["paragraphs"], embedder) as english:

        def measure(memory: Memory, language: str) -> dict[str, float]:
            questions = asked[language]
            return {recipe: share_found(memory, questions, recipe, lambda: progress.advance(bar)) for recipe in RECIPES}

        for language, one in files.items():
            progress.update(bar, description=NAMES.get(language, language))
            across = measure(english, language)
            own = across
            if language != ENGLISH:
                with paragraphs_stored(one["paragraphs"], embedder) as memory:
                    own = measure(memory, language)
            shares = {recipe: {OWN: own[recipe], ACROSS: across[recipe]} for recipe in RECIPES}
            languages[language] = {"questions": len(asked[language]), "found": shares}
    return languages


def measure_messages(persons: Sequence[Any], embedder: Embedder, progress: Progress) -> dict[str, Any]:
    """MemDaily: recall@5 by recipe."""
    shares: dict[str, list[float]] = {recipe: [] for recipe in RECIPES}
    for person in progress.track(persons, description="MemDaily"):
        with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=embedder) as memory:
            messages = person["messages"]
            turns = [Turn(speaker="user", text=one["text"], said_at=SENT_AT, id=str(one["id"])) for one in messages]
            memory.remember_session("c", "s", turns)
            for question in person["questions"]:
                for recipe, own in shares.items():
                    found = entry_turns(memory.recall(question["question"], k=MESSAGES, recipe=recipe), FIRST)
                    own.append(share_of_gold(found, [str(one) for one in question["gold"]]))
    return {"questions": len(shares["default"]), "found": {recipe: percent(own) for recipe, own in shares.items()}}


def share_of_gold(found: Sequence[str], gold: Sequence[str]) -> float:
    """The part of the right messages that is found; of more than fit, as many as fit are all."""
    return sum(one in found for one in gold) / min(FIRST, len(gold))


def group_languages(languages: Sequence[str]) -> dict[str, list[str]]:
    """The groups that have a mean, and who belongs to them: English to none."""
    rest = [language for language in languages if language != ENGLISH]
    groups = {
        "the teacher's": [language for language in rest if language in TEACHERS],
        "the others": [language for language in rest if language not in TEACHERS],
        "all but English": rest,
    }
    return {name: members for name, members in groups.items() if members}


def average(found: Sequence[Figures]) -> Figures:
    """The mean of several languages, by recipe, own and across."""
    return {
        recipe: {place: round(mean(one[recipe][place] for one in found), 1) for place in (OWN, ACROSS)}
        for recipe in RECIPES
    }


def check_goals(languages: Mapping[str, Figures], means: Mapping[str, Figures]) -> list[tuple[str, float, float]]:
    """What `default` has to reach, as far as it was measured: what it is, the least, and what was found."""
    goals = []
    if taught := means.get("the teacher's"):
        goals.append(("the teacher's, own, mean", 96.0, taught["default"][OWN]))
        goals.append(("the teacher's, across, mean", 80.0, taught["default"][ACROSS]))
    for language, found in languages.items():
        if language == ENGLISH:
            goals.append(("English", 100.0, found["default"][OWN]))
        elif language not in TEACHERS:
            goals.append((f"{NAMES.get(language, language)}, own", 90.0, found["default"][OWN]))
    return goals


def show(figures: Mapping[str, Any], console: Console) -> None:
    """One row a language and a group, then MemDaily and the goals."""
    headings = [f"{shown}, {place}" for shown in RECIPES.values() for place in (OWN, ACROSS)]
    table = Table("language", "questions", *headings, title=f"found among the first {FIRST}, in percent")
    languages: Mapping[str, Any] = figures["languages"]
    for language in sorted(languages, key=lambda one: (one not in TEACHERS, one == ENGLISH, NAMES.get(one, one))):
        one = languages[language]
        cells = row_of(one["found"], language == ENGLISH)
        table.add_row(NAMES.get(language, language), str(one["questions"]), *cells)
    table.add_section()
    for name, found in figures["means"].items():
        table.add_row(name, "", *row_of(found))
    if messages := figures.get("memdaily"):
        table.add_section()
        cells = [cell for recipe in RECIPES for cell in (str(messages["found"][recipe]), "")]
        table.add_row("MemDaily (Chinese), recall@5", str(messages["questions"]), *cells)
    console.print(table)
    for goal in figures["goals"]:
        verdict = "reached" if goal["found"] >= goal["least"] else "MISSED"
        console.print(f"{goal['what']}: {goal['found']} (goal {goal['least']}): {verdict}")


def row_of(found: Figures, is_english: bool = False) -> list[str]:
    """The cells of a row. English over English paragraphs is its own language, so nothing is across."""
    return [
        "" if is_english and place == ACROSS else str(found[recipe][place])
        for recipe in RECIPES
        for place in (OWN, ACROSS)
    ]


def summarize(languages: Mapping[str, Any]) -> dict[str, Any]:
    """The languages with their means and goals."""
    found: dict[str, Figures] = {language: one["found"] for language, one in languages.items()}
    groups = group_languages(list(found))
    means = {name: average([found[language] for language in members]) for name, members in groups.items()}
    goals = [{"what": what, "least": least, "found": got} for what, least, got in check_goals(found, means)]
    return {"languages": dict(languages), "means": means, "goals": goals}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xquad", type=Path, required=True, help="a folder with a file a language")
    parser.add_argument("--memdaily", type=Path, help="a file of Chinese messages with questions")
    parser.add_argument("--limit", type=int, help="questions a language (150), and persons of MemDaily (80)")
    parser.add_argument("--cache", type=Path, help="keep the vectors in this folder")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    if given.limit is not None and given.limit < 1:
        parser.error("--limit must be at least 1")
    embedder = CachedEmbedder(load(), given.cache)
    with Progress(console=Console(stderr=True)) as progress:
        languages = measure_languages(read_languages(given.xquad), given.limit or QUESTIONS, embedder, progress)
        figures = {"embedder": embedder.name, **summarize(languages)}
        if given.memdaily:
            persons = read_packed(given.memdaily)[: given.limit or PERSONS]
            figures["memdaily"] = measure_messages(persons, embedder, progress)
    show(figures, Console(width=120))
    if given.json:
        whole = recorded(figures, sys.argv[1:], "python evaluate/bench/languages.py")
        given.json.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
