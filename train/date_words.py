"""Makes the table of date words in other languages: CLDR's names, joined with our own words in date_words.toml.

    pip install babel==2.18.0
    python -m train.date_words

CLDR (Unicode licence v3, through Babel) gives the names of months and weekdays and "N days ago" in all its plurals.
Each language is read in a process of its own: within one process Babel 2.18 hands the stand-alone names of one
language on to those that are read after it, so that March would be 三月 in Turkish.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

OWN = Path(__file__).with_name("date_words.toml")
TABLE = Path(__file__).parents[1] / "src/engramma/language/dates/languages.json"
# Months and "N days ago" are written with signs here, which the forms have.
UNSPACED = ("zh", "ja", "ko")
LOCALES = {"zh": ("zh", "zh_Hant"), "ar": ("ar", "ar_EG")}
CHINESE_WEEKS = ("周", "週", "星期", "礼拜", "禮拜")
# CLDR's "em 2 dias" also means how long something took.
LEFT_OUT = ("em N",)
UNITS = ("day", "week", "month", "year")


def read_cldr(locale: str) -> dict[str, Any]:
    """Names and patterns of one locale."""
    from babel import Locale

    found = Locale.parse(locale)
    months: list[set[str]] = [set() for _ in range(12)]
    short: list[set[str]] = [set() for _ in range(12)]
    weekdays: list[set[str]] = [set() for _ in range(7)]
    for form in ("format", "stand-alone"):
        for number in range(1, 13):
            months[number - 1].add(found.months[form]["wide"][number])
            short[number - 1].add(found.months[form]["abbreviated"][number].rstrip("."))
        for number in range(7):
            weekdays[number].add(found.days[form]["wide"][number])
    forms = set()
    fields = found._data["date_fields"]
    for unit in UNITS:
        for when, sign in (("past", -1), ("future", 1)):
            for plural, pattern in dict(fields[unit][when]).items():
                given = f"sign={sign},unit={unit}"
                if "{0}" not in pattern:
                    given += f",count={ {'one': 1, 'two': 2}[plural] }"
                form = " ".join(pattern.replace("{0}", " N ").split())
                if not form.startswith(LEFT_OUT):
                    forms.add(f"{given}: {form}")
    return {
        "months": [sorted(names) for names in months],
        "short_months": [sorted(names - long) for names, long in zip(short, months, strict=True)],
        "weekdays": [sorted(names) for names in weekdays],
        "forms": sorted(forms),
    }


def read_apart(locale: str) -> dict[str, Any]:
    """`read_cldr` in a process of its own."""
    command = [sys.executable, "-c", f"from train.date_words import *; print(json.dumps(read_cldr({locale!r})))"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[1])
    return dict(json.loads(done.stdout))


def _joined(*lists: list[list[str]]) -> list[list[str]]:
    """Names of the same number from several sources, each once."""
    return [list(dict.fromkeys(name for names in same for name in names)) for same in zip(*lists, strict=True)]


def make_language(code: str, own: dict[str, Any]) -> dict[str, Any]:
    """One language's part of the table."""
    read = [read_apart(locale) for locale in LOCALES.get(code, (code,))]
    weekdays = _joined(*(one["weekdays"] for one in read))
    if code == "zh":
        days = [(n, sign) for n, signs in enumerate(("一", "二", "三", "四", "五", "六", "日天")) for sign in signs]
        for n, sign in days:
            weekdays[n] += [week + sign for week in CHINESE_WEEKS if week + sign not in weekdays[n]]
    made: dict[str, Any] = {"weekdays": _joined(weekdays, _split(own.pop("weekdays", [""] * 7)))}
    forms: list[str] = own.pop("forms")
    extra = _split(own.pop("months", [""] * 12))
    if code not in UNSPACED:
        made["months"] = _joined(*(one["months"] for one in read), extra)
        made["short_months"] = _joined(*(one["short_months"] for one in read))
        forms = list(dict.fromkeys([*forms, *(form for one in read for form in one["forms"])]))
    made["forms"] = forms
    for name, value in own.items():
        made[name] = {key: text.split() for key, text in value.items()} if isinstance(value, dict) else value
        if isinstance(value, str):
            made[name] = value.split()
    return made


def _split(lists: list[str]) -> list[list[str]]:
    return [names.split() for names in lists]


def main() -> None:
    own = tomllib.loads(OWN.read_text(encoding="utf-8"))
    table = {code: make_language(code, words) for code, words in own.items()}
    lines = ",\n".join(
        f"{json.dumps(code)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in made.items())
        + "\n}"
        for code, made in table.items()
    )
    TABLE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
