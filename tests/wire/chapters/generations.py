"""Structured generations: begun, refused, waiting behind another one, and cancelled."""

from tests.wire.story import NOWHERE, Story


async def tell(story: Story) -> None:
    company = await story.call("a company", "POST", "objects/company", {"fields": {"name": "Sphinx Freight"}})
    context = {"type": "company", "id": company["id"]}
    asked = {"context": context, "instructions": "Briefly."}
    begun = await story.call("begun", "POST", "structured/company_info", asked)
    behind = await story.call("a second one about it", "POST", "structured/company_info", {"context": context})
    await story.call("it waits for a worker", "GET", f"structured/{begun['runId']}", who="bob")
    await story.call("the second one waits for it", "GET", f"structured/{behind['runId']}")
    await story.call("cancelled by a viewer", "PATCH", f"structured/{behind['runId']}/cancel", {}, who="bob")
    await story.call("cancelled", "PATCH", f"structured/{behind['runId']}/cancel", {})
    await story.call("its events", "GET", f"streams/events/{begun['streamId']}?after=0", who="bob")
    await story.call("by a viewer", "POST", "structured/company_info", asked, who="bob")
    await story.call("with a prompt that is not there", "POST", "structured/nothing", asked)
    await story.call("about another kind", "POST", "structured/folder_name", asked)
    await story.call("how many of one", "POST", "structured/company_info", {**asked, "count": 3})
    await story.call("too many", "POST", "structured/use_case_list", {"context": context, "count": 26})
    nothing = {"context": {"type": "company", "id": NOWHERE}}
    await story.call("about nothing", "POST", "structured/company_info", nothing)
    await story.call("with a model that is not offered", "POST", "structured/company_info", {**asked, "model": "x:y"})
    await story.call("one that is not there", "GET", f"structured/{NOWHERE}")
    await story.call("cancelled one that is not there", "PATCH", f"structured/{NOWHERE}/cancel", {})
