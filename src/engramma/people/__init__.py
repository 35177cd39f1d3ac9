"""People: claims about people and things, said in talk, and what they add up to.

Other packages import from here alone.
"""

from .answers.ask import Ask
from .answers.structured import GraphAnswer
from .answers.wording import answer_language, where_told, worded
from .claims.catch_up import catch_up, tidy_purged
from .claims.claims import Claims, EntityInfo
from .claims.hydrate import Fact, read_claims
from .claims.predicates import predicate_words
from .claims.recall_facts import fact_block, with_facts
from .claims.relation_groups import GROUPS
from .claims.worth_telling import facts_by_side
from .entities.edits import MOST_ALIASES, MOST_AT_ONCE, Entities, EntityEdit, Sort
from .entities.edits import UNDO as _UNDO_EDIT
from .entities.entities import EntityRow, keys_named, tidy_loose
from .entities.hubs import PERSON, Hub, Spoke, is_hub
from .entities.known_names import first_names, word_names
from .entities.namesakes import Namesakes, find_namesakes, part_namesakes
from .entities.portable_words import portable_words, take_portable_words
from .entities.similar_names import MOST as MOST_COMPARED
from .entities.similar_names import Called, Pair, find_similar_names
from .entities.user_identity import Me, find_me
from .grammar.times import describe_time
from .llm.answer_stream import AnswerStream
from .llm.queue import Drained
from .llm.reader import LLMReader, LLMStatus
from .persons import LONGEST_REASON, People, PersonInfo
from .persons import UNDO as _UNDO_DECISION
from .profiles import Profiles
from .questions.question import ParsedQuestion
from .reconcile.conflicts import CONTRADICTION
from .reconcile.decisions import decision_of, put_decision, read_decisions
from .reconcile.reconcile_store import USER, mark_undecided
from .reconcile.workspace import Aspect, Conflict, PersonMemory, order

UNDO = {**_UNDO_EDIT, **_UNDO_DECISION}

__all__ = ["CONTRADICTION", "GROUPS", "LONGEST_REASON", "MOST_ALIASES", "MOST_AT_ONCE", "MOST_COMPARED", "PERSON"]
__all__ += [
    "UNDO",
    "USER",
    "AnswerStream",
    "Ask",
    "Aspect",
    "Called",
    "Claims",
    "Conflict",
    "Drained",
    "Entities",
    "EntityEdit",
]
__all__ += ["EntityInfo", "EntityRow", "Fact", "GraphAnswer", "Hub", "LLMReader", "LLMStatus", "Pair", "People"]
__all__ += [
    "ParsedQuestion",
    "PersonInfo",
    "PersonMemory",
    "Profiles",
    "Sort",
    "Spoke",
    "answer_language",
    "catch_up",
    "decision_of",
    "facts_by_side",
    "find_me",
    "find_similar_names",
]
__all__ += [
    "fact_block",
    "is_hub",
    "keys_named",
    "mark_undecided",
    "order",
    "portable_words",
    "predicate_words",
    "put_decision",
    "read_claims",
    "read_decisions",
    "take_portable_words",
]
__all__ += ["AnswerStream", "Me", "Namesakes", "find_namesakes", "part_namesakes", "tidy_loose", "tidy_purged"]
__all__ += ["describe_time", "first_names", "where_told", "with_facts", "word_names", "worded"]
