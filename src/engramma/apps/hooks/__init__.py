"""Claude Code hooks: recall before an answer, capture after it. Standard library only, and never in the way."""
