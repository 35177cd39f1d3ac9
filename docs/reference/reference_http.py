"""The paths of the HTTP API, from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reference_markdown import paragraphs, table

ABOUT_PARAMETERS = "Every path also accepts `namespace`. Parameters that are not required may be left out."


def openapi() -> dict[str, Any]:
    """The API's own description of itself, without a daemon."""
    from fastapi import FastAPI

    from engramma.apps.daemon.folder import place_in
    from engramma.apps.daemon.memories import Memories
    from engramma.apps.daemon.settings import DaemonSettings
    from engramma.apps.daemon.spool import Spool
    from engramma.apps.daemon.state import Daemon
    from engramma.apps.http import install, router
    from engramma.apps.http.request import Face

    store = Path("nowhere")
    place = place_in(store)
    scribe: Any = SimpleNamespace(offer=lambda frame: True, counts=dict)
    daemon = Daemon(store, place, Memories(store), Spool(place.spool), scribe, "token", DaemonSettings())
    app = FastAPI(openapi_url="/api/openapi.json")
    install(app)
    app.include_router(router(Face(daemon)), prefix="/api")
    return app.openapi()


def json_kind(schema: Mapping[str, Any]) -> str:
    """A JSON schema's type with its bounds, in words."""
    if "$ref" in schema:
        return f"object `{schema['$ref'].split('/')[-1]}`"
    if "anyOf" in schema:
        return " or ".join(json_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"list of {json_kind(schema['items']) if 'items' in schema else 'anything'}{most}"
    if schema.get("type") == "string" and "maxLength" in schema:
        return f"string, at most {schema['maxLength']:,} characters"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    return str(schema.get("type", "anything")) + (f", {low:,.10g} to {high:,.10g}" if None not in (low, high) else "")


def refs(schema: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"]
    for one in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])):
        yield from refs(one)


def object_rows(schema: Mapping[str, Any], place: str) -> list[tuple[str, ...]]:
    needed = schema.get("required", ())
    return [parameter_row(key, value, key in needed, place) for key, value in schema["properties"].items()]


def parameter_row(name: str, schema: Mapping[str, Any], needed: bool, place: str) -> tuple[str, ...]:
    default = "required" if needed else f"`{schema['default']}`" if schema.get("default") is not None else ""
    return f"`{name}`", place, json_kind(schema), default, " ".join(schema.get("description", "").split())


def paths() -> str:
    document = openapi()
    schemas = document["components"]["schemas"]
    found = [(m.upper(), path, one) for path, methods in document["paths"].items() for m, one in methods.items()]
    lines = table(("path", "what it does"), ((f"`{m} {path}`", one["summary"]) for m, path, one in found))
    lines += ["### Parameters", "", ABOUT_PARAMETERS, ""]
    inner: set[str] = set()
    for m, path, one in found:
        rows = [parameter_row(p["name"], p["schema"], p["required"], p["in"]) for p in one.get("parameters", ())]
        body = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        for name in sorted({ref.split("/")[-1] for ref in refs(body)}):
            rows += object_rows(schemas[name], "body")
            inner |= {ref.split("/")[-1] for value in schemas[name]["properties"].values() for ref in refs(value)}
        rows = [cells for cells in rows if cells[0] != "`namespace`"]
        lines += [f"#### {m} {path}", "", paragraphs(one.get("description", "")), ""]
        lines += table(("name", "in", "type", "default", "meaning"), rows) if rows else []
    lines += ["### Objects in bodies", ""]
    for name in sorted(inner):
        rows = [(cell, *rest) for cell, _, *rest in object_rows(schemas[name], "body")]
        lines += [f"#### {name}", "", paragraphs(schemas[name].get("description", "")), ""]
        lines += table(("name", "type", "default", "meaning"), rows)
    return "\n".join(lines)
