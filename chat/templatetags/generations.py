"""`{% generations object %}`: what managed prompts can make of the object of a page, and what they are making of it."""

import json
from typing import Any

from django import template
from django.template import RequestContext

from chat.queries.generations import Generation, latest_generations
from chat.subjects.registered_subjects import subject_of
from graphs.objects.headers import named
from graphs.site.access import Member

register = template.Library()
#: Generations of the object that a page shows as it comes.
MOST = 3
#: Events of the object that its page reads to show what was written.
READ = 3_000


@register.inclusion_tag("chat/generations.html", takes_context=True)
def generations(context: RequestContext, subject: Any) -> dict[str, Any]:
    """Buttons for editors, and a block for each of the latest; nothing for kinds of which no prompt makes anything."""
    member: Member | None = context.get("member")
    about = named(subject)
    offered = subject_of(about.type).generations if about else ()
    if member is None or about is None or not offered:
        return {"about": None}
    offers = [{"prompt": each.prompt_type, "label": str(each.label), "counts": each.counts} for each in offered]
    latest = [_told(each) for each in latest_generations(member, about, MOST)]
    return {
        "about": about,
        "offers": json.dumps(offers, ensure_ascii=False),
        "latest": json.dumps(latest, ensure_ascii=False),
        "workspace": member.workspace.slug,
        "may_edit": member.role.may_edit,
    }


def _told(generation: Generation) -> dict[str, Any]:
    """What the page begins with; `after` is where in the log it begins, None where that is too far back to be read."""
    run = generation.run
    behind = run.session.stream.last_sequence - generation.after
    return {
        "runId": str(run.pk),
        "promptId": run.prompt_version.prompt.key if run.prompt_version else "",
        "state": generation.state,
        "progress": generation.progress,
        "waitsFor": generation.waits_for,
        "error": run.error,
        "after": generation.after if behind <= READ else None,
        "createdAt": run.created_at.isoformat(),
    }
