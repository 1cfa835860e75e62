"""What is known of vendors and their models: addresses, limits, prices. Read as settings of the same names."""

#: Adding a provider is one entry (docs/adding-a-provider.md). `<NAME>_API_KEY` and `<NAME>_BASE_URL` complete it, NAME
#: being its first word. Prices are US dollars per million tokens of input, cached input and output, and of input
#: that is kept in a cache where that is dearer, None where unknown; entered in November 2026 from the seeds' lists of
#: 2025: compare them with the vendor's before you budget.
#: `strength` orders the models for "go deeper" (docs/models.md); the numbers are ours and mean nothing but their order.
CHAT_PROVIDERS = {
    "deepseek": {
        "wire": "openai",
        "base_url": "https://api.deepseek.com",
        "model": "deepseek-flash",
        "max_tokens": 8192,
        "context_window": 1_000_000,
        # Of the hours in which it costs most: at others it is half of that, and a budget ends early, not late.
        "price": (0.30, 0.006, 1.20),
        "label": "DeepSeek V4.1 Flash",
        "strength": 30,
        "echo_reasoning": True,
    },
    "openai": {
        "wire": "openai",
        "base_url": "https://api.openai.com/v1",
        "model": "gpt-4o",
        "max_tokens": 8192,
        "context_window": 128_000,
        "price": (2.50, 1.25, 10.00),
        "label": "GPT-4o",
        "strength": 40,
        "max_tokens_field": "max_completion_tokens",
        "tool_choice_none": True,
    },
    "openai-mini": {
        "wire": "openai",
        "base_url": "https://api.openai.com/v1",
        "model": "gpt-4o-mini",
        "max_tokens": 8192,
        "context_window": 128_000,
        "price": (0.15, 0.075, 0.60),
        "label": "GPT-4o mini",
        "strength": 20,
        "max_tokens_field": "max_completion_tokens",
        "tool_choice_none": True,
    },
    "openai-reasoning": {
        "wire": "openai-responses",
        "base_url": "https://api.openai.com/v1",
        "model": "gpt-6.1-terra",
        "max_tokens": 16384,
        # It takes 1,050,000, but a request with more than this costs twice as much, and the price is one.
        "context_window": 272_000,
        "price": (1.00, 0.05, 5.00, 1.25),
        "label": "GPT-6.1 Terra",
        "strength": 50,
    },
    "anthropic": {
        "wire": "anthropic",
        "base_url": "https://api.anthropic.com",
        "model": "claude-sonnet-4-6",
        "max_tokens": 4096,
        "context_window": 1_000_000,
        "price": (3.00, 0.30, 15.00, 3.75),
        "label": "Claude Sonnet 4.6",
        "strength": 60,
    },
    "anthropic-thinking": {
        "wire": "anthropic",
        "base_url": "https://api.anthropic.com",
        "model": "claude-sonnet-4-6",
        "max_tokens": 8192,
        "context_window": 1_000_000,
        "price": (3.00, 0.30, 15.00, 3.75),
        "label": "Claude Sonnet 4.6, thinking",
        "strength": 70,
        "thinking_tokens": 2048,
    },
    "custom": {"wire": "openai", "base_url": "", "model": "", "max_tokens": 4096, "price": None},
    "demo": {
        "wire": "demo",
        "base_url": "",
        "model": "demo",
        "max_tokens": 4096,
        "context_window": 128_000,
        "price": (0, 0, 0),
        "label": "Demo",
        "strength": 1,
    },
}
#: What is known of vendors' models; prices are US dollars per million tokens. Others are asked for their dimensions.
EMBEDDING_MODELS = {
    "text-embedding-3-small": {"dimensions": 1536, "price": 0.02},
    "text-embedding-3-large": {"dimensions": 3072, "price": 0.13},
    "text-embedding-ada-002": {"dimensions": 1536, "price": 0.10},
}
