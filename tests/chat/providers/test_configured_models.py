import pytest

from chat.providers.configured_models import ConfiguredModels, ModelUnavailableError, problems
from chat.providers.provider import Price

TABLE = {
    "deepseek": {
        "wire": "openai",
        "base_url": "https://d.example",
        "model": "d1",
        "max_tokens": 10,
        "price": (1, 2, 3),
    },
    "openai": {"wire": "openai", "base_url": "https://o.example", "model": "o1", "max_tokens": 20, "price": (4, 5, 6)},
    "openai-mini": {
        "wire": "openai",
        "base_url": "https://o.example",
        "model": "o1-mini",
        "max_tokens": 20,
        "price": (1, 1, 1),
    },
    "anthropic": {
        "wire": "anthropic",
        "base_url": "https://a.example",
        "model": "a1",
        "max_tokens": 4096,
        "price": None,
    },
    "custom": {"wire": "openai", "base_url": "", "model": "", "max_tokens": 30, "price": None},
    "demo": {"wire": "demo", "base_url": "", "model": "demo", "max_tokens": 40, "price": (0, 0, 0)},
}


def configured(**environ: str) -> ConfiguredModels:
    return ConfiguredModels(TABLE, environ)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, "demo"),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic"),
        ({"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, "openai"),
        ({"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "DEEPSEEK_API_KEY": "k"}, "deepseek"),
        ({"CUSTOM_API_KEY": "k", "CUSTOM_BASE_URL": "http://c.example", "CUSTOM_MODEL": "c1"}, "custom"),
        ({"OPENAI_API_KEY": "  "}, "demo"),
        ({"OPENAI_API_KEY": "k", "LLM_PROVIDER": "demo"}, "demo"),
        ({"OPENAI_API_KEY": "k", "LLM_PROVIDER": "openai-mini"}, "openai-mini"),
    ],
)
def test_it_takes_the_named_provider_or_the_first_with_a_key(environ, name):
    assert configured(**environ).resolve().name == name
    assert problems(TABLE, environ) == []


def test_it_completes_the_entry_from_the_environment():
    config = ConfiguredModels(TABLE, {"OPENAI_API_KEY": "k"}, idle_timeout_s=5, total_timeout_s=6).resolve()
    assert (config.wire, config.base_url, config.model, config.max_tokens) == ("openai", "https://o.example", "o1", 20)
    assert (config.api_key, config.price) == ("k", Price(4, 5, 6))
    assert (config.idle_timeout_s, config.total_timeout_s) == (5, 6)


def test_it_shares_key_and_address_among_entries_with_the_same_first_word():
    config = configured(OPENAI_API_KEY="k", OPENAI_BASE_URL="http://127.0.0.1:9/v1").resolve("openai-mini")
    assert (config.api_key, config.base_url, config.model) == ("k", "http://127.0.0.1:9/v1", "o1-mini")


def test_it_never_shows_the_key():
    assert "secret-key" not in repr(configured(OPENAI_API_KEY="secret-key").resolve())


def test_it_lets_the_environment_name_the_model_of_the_default_provider_only():
    chosen = configured(OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k", LLM_MODEL="o9")
    assert chosen.resolve().model == "o9"
    assert chosen.resolve("anthropic").model == "a1"


def test_it_takes_a_choice_of_provider_and_model():
    config = configured(OPENAI_API_KEY="k").resolve("openai:org/o7:beta")
    assert (config.name, config.model) == ("openai", "org/o7:beta")


@pytest.mark.parametrize(
    ("choice", "price"), [("openai:o1-mini", Price(1, 1, 1)), ("openai:o9", None), ("openai", Price(4, 5, 6))]
)
def test_it_knows_the_price_of_a_model_only_from_the_table(choice, price):
    assert configured(OPENAI_API_KEY="k").resolve(choice).price == price


def test_it_lists_what_is_configured_the_default_first():
    choices = configured(ANTHROPIC_API_KEY="k", OPENAI_API_KEY="k", LLM_PROVIDER="anthropic").choices()
    assert [(choice.id, choice.default) for choice in choices] == [
        ("anthropic:a1", True),
        ("openai:o1", False),
        ("openai-mini:o1-mini", False),
        ("demo:demo", False),
    ]


def test_it_takes_a_custom_endpoint_without_a_key():
    config = configured(
        LLM_PROVIDER="custom", CUSTOM_BASE_URL="http://127.0.0.1:11434/v1", CUSTOM_MODEL="llama"
    ).resolve()
    assert (config.base_url, config.model, config.api_key, config.price) == (
        "http://127.0.0.1:11434/v1",
        "llama",
        "",
        None,
    )


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"LLM_PROVIDER": "nonsense"}, "nonsense"),
        ({"LLM_PROVIDER": "openai"}, "OPENAI_API_KEY"),
        ({"LLM_PROVIDER": "openai-mini"}, "OPENAI_API_KEY"),
        ({"CUSTOM_API_KEY": "k", "CUSTOM_MODEL": "c1"}, "CUSTOM_BASE_URL"),
        ({"CUSTOM_API_KEY": "k", "CUSTOM_BASE_URL": "http://c.example"}, "CUSTOM_MODEL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "ftp://x"}, "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://user:pass@x.example"}, "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://x.example?key=1"}, "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://[::1"}, "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "k", "LLM_MODEL": "two words"}, "LLM_MODEL"),
    ],
)
def test_it_says_what_is_wrong_with_the_environment(environ, word):
    [sentence] = problems(TABLE, environ)
    assert word in sentence
    with pytest.raises(ModelUnavailableError, match=word):
        ConfiguredModels(TABLE, environ).resolve()


def test_an_endpoint_that_only_embeds_is_not_asked_to_write():
    only = {"CUSTOM_API_KEY": "k", "CUSTOM_BASE_URL": "http://c.example", "EMBEDDING_PROVIDER": "custom"}
    assert problems(TABLE, only) == []
    assert configured(**only).default() == "demo"
    assert configured(**only, CUSTOM_MODEL="c1").default() == configured(**only, LLM_MODEL="c1").default() == "custom"
    assert configured(**only | {"EMBEDDING_PROVIDER": "openai"}, OPENAI_API_KEY="k").default() == "openai"
    assert problems(TABLE, only | {"LLM_PROVIDER": "custom"})
    assert problems(TABLE, only | {"EMBEDDING_PROVIDER": "none"})


@pytest.mark.parametrize("choice", ["nonsense", "anthropic", "openai:a b", ":", "openai-mini:" + "x" * 500])
def test_it_refuses_a_choice_that_is_not_configured(choice):
    with pytest.raises(ModelUnavailableError):
        configured(LLM_PROVIDER="demo", OPENAI_API_KEY="k").resolve(choice)


def test_it_names_the_field_of_a_wrong_entry():
    wrong = {**TABLE, "qwen": {"wire": "openai", "base_url": "https://q.example", "modle": "q"}}
    [sentence] = problems(wrong, {})
    assert "qwen" in sentence


STRENGTHS = {"deepseek": 30, "openai": 40, "openai-mini": 20, "anthropic": 60, "demo": 1}
RANKED = {name: fields | {"strength": STRENGTHS.get(name, 0)} for name, fields in TABLE.items()}
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "CUSTOM_BASE_URL": "http://localhost/v1", "CUSTOM_MODEL": "c1"}


@pytest.mark.parametrize(
    ("of", "environ", "stronger"),
    [
        ("openai-mini:o1-mini", KEYS, "openai:o1"),
        ("openai:o1", KEYS, "anthropic:a1"),
        ("anthropic:a1", KEYS, None),
        ("openai-mini:o1-mini", {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "k"}, "anthropic:a1"),
        ("openai:some-other-model", KEYS, None),
        ("custom:c1", KEYS, None),
        ("custom:c1", KEYS | {"CUSTOM_STRENGTH": "35"}, "openai:o1"),
        ("openai:o1", KEYS | {"CUSTOM_STRENGTH": "50"}, "custom:c1"),
        ("demo:demo", {}, None),
        ("gone:x", KEYS, None),
        ("", KEYS, None),
    ],
)
def test_it_knows_the_next_stronger_model(of, environ, stronger):
    found = ConfiguredModels(RANKED, environ).stronger(of)
    assert (found.id if found else None) == stronger


def test_it_labels_a_model_only_as_what_it_is():
    table = {"openai": TABLE["openai"] | {"label": "The One"}, "demo": TABLE["demo"]}
    labels = [
        ConfiguredModels(table, {"OPENAI_API_KEY": "k", **more}).choices()[0].label
        for more in ({}, {"LLM_MODEL": "o7"})
    ]
    assert labels == ["The One", "o7"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("much", "must be a number of tokens"),
        ("0", "must be 4126 or more: of it an answer may take 30"),
        ("4125", "must be 4126 or more"),
        ("4126", ""),
    ],
)
def test_a_window_must_have_room_for_a_prompt(given, problem):
    of_custom = {"CUSTOM_BASE_URL": "http://c.example", "CUSTOM_MODEL": "c1", "LLM_PROVIDER": "custom"}
    told = " ".join(problems(TABLE, of_custom | {"CUSTOM_CONTEXT_WINDOW": given}))
    assert problem in told
    assert bool(told) == bool(problem)


def test_a_vendors_other_models_are_not_offered() -> None:
    models = ConfiguredModels(TABLE, {"OPENAI_API_KEY": "x"})
    assert models.resolve("openai:o1-pro").id == "openai:o1-pro"
    with pytest.raises(ModelUnavailableError, match="not offered"):
        models.resolve_offered("openai:o1-pro")
    assert models.resolve_offered("openai").name == models.resolve_offered(None).name == "openai"
    assert (models.offered("openai:o1-pro"), models.offered("openai"), models.offered("nobody")) == (False, True, False)


OF_CUSTOM = {"CUSTOM_BASE_URL": "http://c.example", "CUSTOM_MODEL": "c1", "LLM_PROVIDER": "custom"}


@pytest.mark.parametrize(
    ("said", "price"),
    [
        ("input=0.5,output=1.5,cached=0.1", Price(0.5, 0.1, 1.5)),
        (" output=2 , input=1 ", Price(1, 1, 2)),
        ("input=0,output=0", Price(0, 0, 0)),
        ("", None),
    ],
)
def test_a_model_without_a_price_has_that_of_the_environment(said: str, price: Price | None) -> None:
    models = ConfiguredModels(TABLE, OF_CUSTOM | {"CUSTOM_PRICE": said})
    assert models.resolve().price == price
    assert models.choices()[0].price == price
    assert models.problems() == []


def test_a_price_of_the_table_stays() -> None:
    models = ConfiguredModels(TABLE, {"DEEPSEEK_API_KEY": "x", "DEEPSEEK_PRICE": "input=9,output=9"})
    price = TABLE["deepseek"]["price"]
    assert models.resolve("deepseek").price == (Price(*price) if price else Price(9, 9, 9))
    assert models.resolve("deepseek:another").price == Price(9, 9, 9)


@pytest.mark.parametrize(
    "said",
    [
        *("0.5", "input=0.5", "input=0.5,output", "input=0.5,output=", "input=a,output=1", "input=-1,output=1"),
        *("input=1,output=nan", "input=1,output=1e9", "input=1,output=1,colour=2", "input=1,input=1,output=2"),
        *("input=1,output=1,", "input=1;output=1", "input=1,output=99999999", "input=1,output=\u0661"),
    ],
)
def test_what_is_no_price_is_refused_in_a_sentence(said: str) -> None:
    models = ConfiguredModels(TABLE, OF_CUSTOM | {"CUSTOM_PRICE": said})
    sentence = "CUSTOM_PRICE must be dollars per million tokens, for example input=0.5,output=1.5,cached=0.1."
    assert models.problems() == [sentence]
    with pytest.raises(ModelUnavailableError, match="CUSTOM_PRICE must be dollars"):
        models.resolve()


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        *(
            ("STRENGTH", given, "CUSTOM_STRENGTH must be a number from 0 to 9999.")
            for given in ("abc", "-1", "1.5", "99999")
        ),
        *(("API_KEY", given, "CUSTOM_API_KEY holds no key") for given in ("sk-é", "two words", "one\ntwo", "a\u200bb")),
    ],
)
def test_a_variable_that_nothing_can_be_made_of_is_named(name: str, given: str, sentence: str) -> None:
    models = ConfiguredModels(TABLE, OF_CUSTOM | {f"CUSTOM_{name}": given})
    (told,) = models.problems()
    assert told.startswith(sentence)
    assert given not in told
    with pytest.raises(ModelUnavailableError, match=f"CUSTOM_{name}"):
        models.resolve()


def test_a_model_that_is_named_for_nobody_is_said() -> None:
    assert problems(TABLE, {"LLM_MODEL": "o9"}) == problems(TABLE, {"LLM_MODEL": "o9", "LLM_PROVIDER": "demo"}) != []
    assert problems(TABLE, {"LLM_MODEL": "o9", "OPENAI_API_KEY": "k"}) == []


def test_a_table_that_was_changed_is_read_again() -> None:
    """Read once for as long as it says the same, in the same order: the first that has a key is the default."""
    table = {name: dict(TABLE[name]) for name in ("demo", "deepseek")}
    assert ConfiguredModels(table, {}).resolve("demo").model == TABLE["demo"]["model"]
    table["demo"]["model"] = "another"
    assert ConfiguredModels(table, {}).resolve("demo").model == "another"
    backwards = dict(reversed(table.items()))
    assert list(ConfiguredModels(backwards, {})._entries) == ["deepseek", "demo"]
    table["demo"]["colour"] = 2
    with pytest.raises(ModelUnavailableError, match="colour"):
        ConfiguredModels(table, {})
