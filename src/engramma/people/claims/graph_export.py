"""The knowledge graph as a file or a NetworkX graph: entities as nodes, facts between them as edges with sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape, quoteattr

from ...errors import EngrammaError
from ...files.private_files import write_private
from ...language.times import format_time
from ...store.store import Store
from ..entities.entities import EntityRow, entities_by_keys, read_entity_names
from .hydrate import ALL, Fact, read_facts

if TYPE_CHECKING:
    from networkx import MultiDiGraph

GraphFormat = Literal["json", "graphml"]
NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters that XML cannot hold
NODE_FIELDS = {"name": "string", "type": "string", "owner": "string", "aliases": "string", "mentions": "int"}
EDGE_FIELDS = {
    "relation": "string",
    "negated": "boolean",
    "modality": "string",
    "confidence": "double",
    "said": "int",
    "mentioned_by": "string",
    "first_said": "string",
    "last_said": "string",
    "sources": "string",
}


def graph_parts(
    store: Store, everything: bool = False
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Entities, facts between two of them, and facts whose value is a text, all from one state of the store."""
    with store.snapshot():
        keys = store.keys("entities_by_name", type=None, limit=ALL, offset=0, everything=int(everything)).tolist()
        entities = entities_by_keys(store, keys)
        names = read_entity_names(store, keys)
        facts = read_facts(store, store.keys("claim_keys_latest", limit=ALL).tolist()[::-1])
    known = {entity.key for entity in entities}
    nodes = [node_of(entity, [named.name for named in names.get(entity.key, ())]) for entity in entities]
    edges = [_edge_of(fact) for fact in facts if {fact.subject_key, fact.value_key} <= known]
    texts = [
        {**_edge_of(fact), "value": fact.value}
        for fact in facts
        if fact.subject_key in known and fact.value_key not in known
    ]
    return nodes, edges, [{name: part for name, part in text.items() if name != "target"} for text in texts]


def node_of(entity: EntityRow, names: list[str]) -> dict[str, Any]:
    return {
        "id": f"e{entity.key}",
        "name": entity.name,
        "type": entity.type,
        "owner": entity.owner or "",
        "aliases": [name for name in names if name != entity.name],
        "mentions": entity.mentions,
    }


def _edge_of(fact: Fact) -> dict[str, Any]:
    return {
        "source": f"e{fact.subject_key}",
        "target": f"e{fact.value_key}",
        "relation": fact.relation,
        "negated": fact.negated,
        "modality": fact.modality,
        "confidence": fact.confidence,
        "said": len(fact.claims),
        "mentioned_by": list(fact.mentioned_by),
        "first_said": format_time(fact.claims[0].said_at),
        "last_said": format_time(fact.last_said),
        "sources": [f"{claim.conversation}/{claim.turn_ids[0]}" for claim in fact.claims],
    }


def write_graph(store: Store, path: Path, format: GraphFormat) -> tuple[int, int]:
    """Write the graph; returns how many entities and how many facts are in it."""
    nodes, edges, texts = graph_parts(store)
    if format == "json":
        whole = {"entities": nodes, "relations": edges, "statements": texts}
        body = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    else:
        body = "".join(graphml(nodes, edges, texts))
    write_private(path, body)
    return len(nodes), len(edges) + len(texts)


def graphml(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], texts: list[dict[str, Any]]) -> Iterator[str]:
    """GraphML, which every graph program reads. What was said in words of its own gets a node of type text."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for scope, fields in (("node", NODE_FIELDS), ("edge", EDGE_FIELDS)):
        for name, type in fields.items():
            yield f'<key id="{scope}_{name}" for="{scope}" attr.name="{name}" attr.type="{type}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for node in nodes:
        yield f"<node id={quoteattr(node['id'])}>{_data('node', NODE_FIELDS, node)}</node>\n"
    for number, text in enumerate(texts):
        own = {"name": text["value"], "type": "text", "owner": "", "aliases": [], "mentions": text["said"]}
        yield f'<node id="t{number}">{_data("node", NODE_FIELDS, own)}</node>\n'
    joined = [*edges, *({**text, "target": f"t{number}"} for number, text in enumerate(texts))]
    for edge in joined:
        ends = f"source={quoteattr(edge['source'])} target={quoteattr(edge['target'])}"
        yield f"<edge {ends}>{_data('edge', EDGE_FIELDS, edge)}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _data(scope: str, fields: dict[str, str], values: dict[str, Any]) -> str:
    parts = []
    for name in fields:
        value = values[name]
        told = "; ".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else value
        parts.append(f'<data key="{scope}_{name}">{escape(NOT_XML.sub("�", str(told)))}</data>')
    return "".join(parts)


def as_networkx(store: Store) -> MultiDiGraph[str]:
    """The graph for NetworkX: entities by id with their fields, facts as edges; texts are fields of their subject."""
    try:
        import networkx
    except ImportError as error:
        raise EngrammaError("NetworkX is an extra: pip install 'engramma[graph]'") from error
    nodes, edges, texts = graph_parts(store)
    graph: MultiDiGraph[str] = networkx.MultiDiGraph()
    for node in nodes:
        graph.add_node(node["id"], **{name: part for name, part in node.items() if name != "id"}, statements=[])
    for text in texts:
        graph.nodes[text["source"]]["statements"].append({k: v for k, v in text.items() if k != "source"})
    for edge in edges:
        fields = {name: part for name, part in edge.items() if name not in ("source", "target", "relation")}
        graph.add_edge(edge["source"], edge["target"], key=None, relation=edge["relation"], **fields)
    return graph
