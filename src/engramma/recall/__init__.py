from .context import parse_context as parse_context
