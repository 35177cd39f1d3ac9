"""How fast secrets are masked, and what is masked in real talk, by rule.

    python evaluate/bench/redact.py FILE... [--show] [--pii] [--hostile]

FILE is JSON, JSONL (also .gz) or plain text; of JSON every string is one text, of plain text every line. --show prints
each find with its surroundings (the secret too: this is for looking at false alarms in public data). --hostile
times a megabyte each of what regular expressions are slow on. Seconds are of processor time on one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engramma import redact

MEGABYTE = 1_000_000


def texts_of(path: Path) -> list[str]:
    """Every string of a JSON file, or every line of a text file."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8", "replace")
    name = path.name.removesuffix(".gz")
    if name.endswith(".json"):
        return list(strings(json.loads(text)))
    if name.endswith(".jsonl"):
        return [one for line in text.split("\n") if line.strip() for one in strings(json.loads(line))]
    return text.splitlines()


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def hostile() -> dict[str, str]:
    """A megabyte each of what makes regular expressions backtrack."""
    drawn = random.Random(6)
    base64 = "".join(drawn.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=MEGABYTE))
    pieces = [
        "a",
        "=",
        "-",
        "_",
        ".",
        " ",
        "0",
        '"',
        "'\"`",
        '\\"',
        "password=",
        "password is ",
        "token: '",
        "sk-",
        "://a:",
    ]
    pieces += [
        "eyJ",
        "eyJa.",
        "-----BEGIN PRIVATE KEY-----",
        "<private",
        "<private>",
        "Bearer ",
        "secret ",
        "key = ",
        "AKIA",
    ]
    pieces += [
        "pin is ",
        "code ",
        "curl -u a:",
        "seed phrase: abc ",
        "xoxb-",
        "AC",
        "[redacted:",
        "sessid=",
        "http://a@b:c@",
        "recovery code 1 ",
        "authorization: ",
        "mysql -p",
        "İ",
    ]
    return {"base64": base64, **{piece: (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE] for piece in pieces}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--pii", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    arguments = parser.parse_args()
    console = Console(soft_wrap=True, markup=False, highlight=False)
    table = Table("file", "texts", "MB", "MB/s", "masked", "by rule")
    for path in arguments.files:
        texts = texts_of(path)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts) / MEGABYTE
        start = time.process_time()
        results = [redact(text, pii=arguments.pii) for text in texts]
        seconds = time.process_time() - start
        rules = Counter(one.rule for result in results for one in result.redactions)
        by_rule = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
        table.add_row(path.name, f"{len(texts):,}", f"{size:.1f}", f"{size / seconds:.1f}", str(rules.total()), by_rule)
        for text, result in zip(texts, results, strict=True):
            for one in result.redactions if arguments.show else ():
                around = text[max(0, one.start - 60) : one.end + 30].replace("\n", " ")
                console.print(f"{one.rule}: «{text[one.start : one.end][:80]}» in {around}")
    if arguments.files:
        console.print(table)
    if arguments.hostile:
        times = Table("a megabyte of", "seconds", "masked")
        for name, text in hostile().items():
            start = time.process_time()
            count = len(redact(text).redactions)
            times.add_row(name, f"{time.process_time() - start:.2f}", str(count))
        console.print(times)


if __name__ == "__main__":
    main()
