"""chat/providers/demo/forms.py: the forms, from use cases in whichever way they were told."""

import pytest

from chat.providers.demo.forms import filled
from chat.providers.model_request import ModelRequest, PromptMessage, ToolSpec
from rag.texts.fencing import fenced
from rag.texts.tables import encode_tables

PLACE = {"value": 5.0, "complexity": 2.0, "quadrant": "highValueLowComplexity"}
ALIKE = [{"name": f"Dock planning {number}", "description": "About docks.", **PLACE} for number in range(5)]
GROUPED = encode_tables({"useCases": ALIKE}, {})
PLAIN = encode_tables({"useCases": ALIKE[:1]}, {})


def arguments(prompt: str, told: str) -> dict[str, object]:
    asked = "\n".join((fenced("folder", '{"name":"Warehouse"}'), fenced("use_cases", told), fenced("count", "3")))
    tool = ToolSpec(f"write_{prompt}", "", {}, forced=True)
    form = filled(ModelRequest(messages=(PromptMessage("user", asked),), tools=(tool,), model="demo", max_tokens=1000))
    assert form is not None
    return form.arguments


@pytest.mark.parametrize(("told", "count"), [(GROUPED, 5), (PLAIN, 1)], ids=["grouped", "plain"])
def test_it_reads_use_cases_that_are_grouped(told: str, count: int) -> None:
    assert ("rows" in GROUPED, "rows" in PLAIN) == (True, False)
    summary = arguments("executive_summary", told)
    assert all(f"Dock planning {number}" in str(summary["references"]) for number in range(count))
    assert "Dock planning 0 (5" in str(summary["analysis"])
    found = arguments("use_case_list", told)["useCases"]
    assert isinstance(found, list)
    assert [each["name"].rpartition(" ")[2] for each in found] == [str(count + place) for place in (1, 2, 3)]
