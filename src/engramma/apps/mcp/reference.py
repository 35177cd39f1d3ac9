"""The nine tools of the reference memory server, over the same store: --compat reference."""

from __future__ import annotations

import json
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from .tool_context import READS, REMOVES, REPLACES, ToolContext, helped

INSTRUCTIONS = "A knowledge graph of entities, observations and relations. Deleting is forgetting and can be undone."
MAX_QUERY = 2_048
WRITES = (
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
)

Name = Annotated[str, Field(min_length=1, max_length=900)]
Text = Annotated[str, Field(max_length=100_000)]
MANY = Field(max_length=1_000)


class ReferenceEntity(BaseModel):
    """A thing with a name, a type and observations."""

    __qualname__ = "Entity"  # what the tools' schemas call it
    model_config = ConfigDict(title="Entity")

    name: Name = Field(description="The name of the entity")
    entityType: Annotated[str, Field(max_length=900)] = Field(description="The type of the entity")
    observations: Annotated[list[Text], MANY] = Field(
        description="An array of observation contents associated with the entity"
    )


class Relation(BaseModel):
    """What one entity is to another."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    source: Name = Field(alias="from", description="The name of the entity where the relation starts")
    to: Name = Field(description="The name of the entity where the relation ends")
    relationType: Name = Field(description="The type of the relation")


class Addition(BaseModel):
    """Observations to add to an entity."""

    entityName: Name = Field(description="The name of the entity to add the observations to")
    contents: Annotated[list[Text], MANY] = Field(description="An array of observation contents to add")


class Deletion(BaseModel):
    """Observations to delete from an entity."""

    entityName: Name = Field(description="The name of the entity containing the observations")
    observations: Annotated[list[Text], MANY] = Field(description="An array of observations to delete")


class ReferenceEntities(BaseModel):
    model_config = ConfigDict(title="Entities")

    entities: list[ReferenceEntity]


class Relations(BaseModel):
    relations: list[Relation]


class Outcome(BaseModel):
    entityName: str
    addedObservations: list[str]


class Outcomes(BaseModel):
    results: list[Outcome]


class Done(BaseModel):
    success: bool
    message: str


class Graph(BaseModel):
    entities: list[ReferenceEntity]
    relations: list[Relation]


def register(server: MCPServer, desk: ToolContext) -> None:
    register_reading(server, desk)
    if desk.read_only:
        server.refused = frozenset(WRITES)  # type: ignore[attr-defined]
    else:
        register_writing(server, desk)


def register_reading(server: MCPServer, desk: ToolContext) -> None:
    @server.tool("read_graph", "Read Graph", annotations=READS)
    @helped
    def read_graph() -> Annotated[CallToolResult, Graph]:
        """Read the entire knowledge graph"""
        return _answer(_graph_of(desk))

    @server.tool("search_nodes", "Search Nodes", annotations=READS)
    @helped
    def search_nodes(
        query: Annotated[
            str,
            Field(
                max_length=MAX_QUERY,
                description="The search query to match against entity names, types, and observation content",
            ),
        ],
    ) -> Annotated[CallToolResult, Graph]:
        """Search for nodes in the knowledge graph based on a query"""
        wanted = query.lower()
        graph = _graph_of(desk)
        names = {
            one.name
            for one in graph.entities
            if any(wanted in text.lower() for text in (one.name, one.entityType, *one.observations))
        }
        return _answer(_part(graph, names))

    @server.tool("open_nodes", "Open Nodes", annotations=READS)
    @helped
    def open_nodes(
        names: Annotated[list[Name], MANY, Field(description="An array of entity names to retrieve")],
    ) -> Annotated[CallToolResult, Graph]:
        """Open specific nodes in the knowledge graph by their names"""
        return _answer(_part(_graph_of(desk), set(names)))


def register_writing(server: MCPServer, desk: ToolContext) -> None:
    from . import knowledge

    @server.tool("create_entities", "Create Entities", annotations=REPLACES)
    @helped
    def create_entities(
        entities: Annotated[list[ReferenceEntity], MANY],
    ) -> Annotated[CallToolResult, ReferenceEntities]:
        """Create multiple new entities in the knowledge graph"""
        wanted = [knowledge.KnownEntity(one.name, one.entityType, tuple(one.observations)) for one in entities]
        made = knowledge.create_entities(desk.to_add("create_entities"), wanted)
        return _answer(ReferenceEntities(entities=[entity_out(one) for one in made]), "entities")

    @server.tool("create_relations", "Create Relations", annotations=REPLACES)
    @helped
    def create_relations(relations: Annotated[list[Relation], MANY]) -> Annotated[CallToolResult, Relations]:
        """Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"""
        made = knowledge.create_relations(desk.to_add("create_relations"), [relation_in(one) for one in relations])
        return _answer(Relations(relations=[relation_out(one) for one in made]), "relations")

    @server.tool("add_observations", "Add Observations", annotations=REPLACES)
    @helped
    def add_observations(observations: Annotated[list[Addition], MANY]) -> Annotated[CallToolResult, Outcomes]:
        """Add new observations to existing entities in the knowledge graph"""
        done = knowledge.add_observations(
            desk.to_add("add_observations"), [(one.entityName, one.contents) for one in observations]
        )
        results = [Outcome(entityName=name, addedObservations=added) for name, added in done]
        return _answer(Outcomes(results=results), "results")

    @server.tool("delete_entities", "Delete Entities", annotations=REMOVES)
    @helped
    def delete_entities(
        entityNames: Annotated[list[Name], MANY, Field(description="An array of entity names to delete")],
    ) -> Annotated[CallToolResult, Done]:
        """Delete multiple entities and their associated relations from the knowledge graph"""
        deleted, missing = knowledge.forget_entities(desk.to_write("delete_entities", "admin"), entityNames)
        if not missing:
            return _done("Entities deleted successfully")
        count = f"Deleted {len(deleted)} of {len(entityNames)} entities."
        return _done(f"{count} Not found: {', '.join(missing)}")

    @server.tool("delete_observations", "Delete Observations", annotations=REMOVES)
    @helped
    def delete_observations(deletions: Annotated[list[Deletion], MANY]) -> Annotated[CallToolResult, Done]:
        """Delete specific observations from entities in the knowledge graph"""
        wanted = [(one.entityName, one.observations) for one in deletions]
        count, missing = knowledge.delete_observations(desk.to_write("delete_observations", "admin"), wanted)
        requested = sum(len(one.observations) for one in deletions)
        if count == requested:
            return _done("Observations deleted successfully")
        rest = f" Entities not found: {', '.join(missing)}" if missing else ""
        return _done(f"Deleted {count} of {requested} observations.{rest}")

    @server.tool("delete_relations", "Delete Relations", annotations=REMOVES)
    @helped
    def delete_relations(
        relations: Annotated[list[Relation], MANY, Field(description="An array of relations to delete")],
    ) -> Annotated[CallToolResult, Done]:
        """Delete multiple relations from the knowledge graph"""
        count = knowledge.delete_relations(desk.to_write("delete_relations"), [relation_in(one) for one in relations])
        if count == len(relations):
            return _done("Relations deleted successfully")
        return _done(f"Deleted {count} of {len(relations)} relations. The rest matched nothing.")


def _graph_of(desk: ToolContext) -> Graph:
    from . import knowledge

    found = knowledge.read_knowledge(desk.memory())
    return Graph(entities=[entity_out(e) for e in found.entities], relations=[relation_out(r) for r in found.relations])


def _part(graph: Graph, names: set[str]) -> Graph:
    """Some entities, with every relation that has one of them at an end."""
    return Graph(
        entities=[one for one in graph.entities if one.name in names],
        relations=[one for one in graph.relations if one.source in names or one.to in names],
    )


def entity_out(one: Any) -> ReferenceEntity:
    return ReferenceEntity.model_construct(name=one.name, entityType=one.type, observations=list(one.observations))


def relation_out(one: Any) -> Relation:
    return Relation.model_construct(source=one.source, to=one.target, relationType=one.type)


def relation_in(one: Relation) -> Any:
    from . import knowledge

    return knowledge.KnownRelation(one.source, one.to, one.relationType)


def _done(message: str) -> CallToolResult:
    data = {"success": True, "message": message}
    return CallToolResult(content=[TextContent(type="text", text=message)], structured_content=data)


def _answer(model: BaseModel, of: str | None = None) -> CallToolResult:
    """As the reference server answers: the data, and the same as indented JSON."""
    data = model.model_dump(mode="json", by_alias=True)
    text = json.dumps(data if of is None else data[of], indent=2, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)
