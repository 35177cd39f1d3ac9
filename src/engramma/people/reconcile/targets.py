"""Who and what is meant when a tool is asked for "john_job": the person, the group, the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import BadInput
from ..claims.relation_groups import GROUPS, RelationGroup, group_called
from .workspace import Aspect, ConversationMemory, PersonMemory


def person_meant(people: Sequence[PersonMemory], name: str) -> PersonMemory:
    for person in people:
        if person.name.lower() == name.strip().lower().replace("_", " "):
            return person
    raise BadInput(f"Nobody here is called {name!r:.60}. There is {', '.join(person.name for person in people)}.")


def owned_meant(people: Sequence[PersonMemory], entity: str, *conversations: str) -> tuple[PersonMemory, RelationGroup]:
    """The person and the group that "john_job" names; without an owner, the only one who has such a thing there."""
    for person in people:
        own = person.name.lower().replace(" ", "_")
        if entity.strip().lower().startswith(f"{own}_"):
            return person, group_meant(entity.strip()[len(own) + 1 :], person)
    having = [
        person
        for person in people
        if all(memory is not None for memory in map(person.conversation, conversations)) and _has(person, entity)
    ]
    if len(having) == 1:
        return having[0], group_meant(entity, having[0])
    if not having:
        names = ", ".join(GROUPS)
        raise BadInput(f"Nobody here has {entity!r:.60}{' there' if conversations else ''}. Ask for one of {names}.")
    raise BadInput(f"{', '.join(person.name for person in having)} have {entity!r:.60}: put the owner before it.")


def _has(person: PersonMemory, entity: str) -> bool:
    try:
        group = group_meant(entity, person)
    except BadInput:
        return False
    return any(aspect.group == group.name for memory in person.conversations for aspect in memory.aspects)


def group_meant(name: str, person: PersonMemory) -> RelationGroup:
    """The group that a name means: "job", "john_job", "career", "relationship_2", "pet Max"."""
    text = name.strip().lower().removeprefix(f"{person.name.lower().replace(' ', '_')}_").replace("_", " ")
    group = group_called(text) or group_called(text.split(" ")[0]) if text else None
    if group is None:
        raise BadInput(f"{name!r:.60} is none of {', '.join(GROUPS)}.")
    return group


def memory_meant(person: PersonMemory, conversation: str) -> ConversationMemory:
    memory = person.conversation(conversation)
    if memory is None:
        known = ", ".join(memory.conversation for memory in person.conversations)
        raise BadInput(f"{person.name} is not in conversation {conversation!r:.60}, only in {known}.")
    return memory


def aspects_meant(
    person: PersonMemory, group: RelationGroup, entity: str
) -> Iterable[tuple[ConversationMemory, Aspect]]:
    """A person's aspects of a group, by conversation; of pets and the like only those of the name, if one is given."""
    _, _, label = entity.strip().partition(" ")
    for memory in person.conversations:
        for aspect in memory.aspects:
            if aspect.group == group.name and (group.is_exclusive or not label or label.lower() in aspect.name.lower()):
                yield memory, aspect
