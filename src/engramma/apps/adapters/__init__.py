"""Engramma as the memory of other libraries: LangGraph, the OpenAI Agents SDK, Anthropic's memory tool."""
