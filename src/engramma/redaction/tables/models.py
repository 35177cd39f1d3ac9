"""Keys of language models and of what is built around them."""

# ruff: noqa: E501 (a row of a table is a line)
from __future__ import annotations

from .shape import make_named_value_rule, shape

# fmt: off
MODELS = (
    shape("anthropic-key", "Anthropic API or OAuth key", "sk-ant-", r"sk-ant-[\w-]{16,250}"),
    shape("openrouter-key", "OpenRouter key", "sk-or-", r"sk-or-(?:v1-)?[A-Za-z0-9]{20,100}"),
    shape(
        "openai-key",
        "OpenAI key (project, service account, admin, legacy) and the many services with the same shape",
        ("sk-", "sess-"),
        r"(?:sk-(?!ant-|or-)(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,250}|sess-[A-Za-z0-9]{32,64})",
        entropy=3.0,
    ),
    shape("huggingface-token", "Hugging Face token", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{24,64}"),
    shape("groq-key", "Groq key", "gsk_", r"gsk_[A-Za-z0-9]{24,80}"),
    shape("replicate-token", "Replicate token", "r8_", r"r8_[A-Za-z0-9]{24,60}"),
    shape("perplexity-key", "Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{24,80}"),
    shape("xai-key", "xAI key", "xai-", r"xai-[A-Za-z0-9_-]{24,120}"),
    shape("pinecone-key", "Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9_]{24,120}"),
    shape("langsmith-key", "LangSmith key", ("lsv2_", "ls__"), r"(?:lsv2_(?:pt|sk)_|ls__)[A-Za-z0-9_]{20,80}"),
    shape("langfuse-key", "Langfuse secret key", "sk-lf-", r"sk-lf-[0-9a-f-]{30,40}"),
    shape("tavily-key", "Tavily key", "tvly-", r"tvly-[A-Za-z0-9-]{16,60}"),
    shape("firecrawl-key", "Firecrawl key", "fc-", r"fc-[0-9a-f]{32}(?![0-9A-Za-z])"),
    shape("fireworks-key", "Fireworks key", "fw_", r"fw_[A-Za-z0-9]{20,40}"),
    shape("nvidia-key", "NVIDIA API key", "nvapi-", r"nvapi-[\w-]{32,100}"),
    shape("jina-key", "Jina key", "jina_", r"jina_[A-Za-z0-9_-]{32,90}"),
    shape("voyage-key", "Voyage AI key", ("pa-", "al-"), r"(?:pa|al)-[A-Za-z0-9_-]{40,60}", entropy=4.0),
    shape("wandb-key", "Weights & Biases key", "wandb_v1_", r"wandb_v1_[\w-]{32,100}"),
    shape("cerebras-key", "Cerebras key", "csk-", r"csk-[a-z0-9]{32,64}"),
    make_named_value_rule("cohere-key", "Cohere key, by context", ("cohere", "co_api_key", "cohere.client("), r"[A-Za-z0-9]{40}"),
    make_named_value_rule("mistral-key", "Mistral key, by context", "mistral", r"[A-Za-z0-9]{32}"),
    make_named_value_rule("deepseek-key", "DeepSeek key, by context", "deepseek", r"(?:sk-)?[a-f0-9]{32}"),
    make_named_value_rule("elevenlabs-key", "ElevenLabs key, by context", ("elevenlabs", "xi-api-key", "xi_api_key"), r"(?:sk_)?[a-f0-9]{32,48}"),
    shape("elevenlabs-key", "ElevenLabs key", "sk_", r"sk_[a-f0-9]{48}(?![0-9A-Za-z])"),
    make_named_value_rule("together-key", "Together, Stability, AssemblyAI or Deepgram key, by context",
          ("together_api", "togetherai", "stability", "assemblyai", "deepgram"), r"(?:sk-)?[A-Za-z0-9]{32,64}"),
    make_named_value_rule("wandb-key", "Weights & Biases key, by context", ("wandb", "weave"), r"[a-f0-9]{40}"),
)
