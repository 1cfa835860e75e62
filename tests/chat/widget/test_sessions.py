"""chat/static/chat/widget: the list of conversations, its menu, and one of them, while something is on its way."""

from typing import Any

from playwright.sync_api import Page

#: An API whose answers the test gives: `asked` are the calls so far, each with its arguments, `yes` and `no`.
GIVEN = """
    const { Sessions } = await import("/static/chat/widget/sessions.js");
    const { AskAlways } = await import("/static/chat/widget/view/menu.js");
    const asked = [];
    const call = (name) => (...args) => new Promise((yes, no) => asked.push({ name, args, yes, no }));
    const api = { sharedSessions: async () => ({ results: [] }) };
    for (const name of ["sessions", "page", "changeSession", "remove"]) api[name] = call(name);
    const rows = (...ids) => ids.map((id) => ({ id, title: id, updatedAt: id }));
    const settled = () => new Promise((done) => setTimeout(done));
    const sessions = new Sessions(api);
    const listed = () => sessions.items.map(({ id }) => id).join("");
    const names = () => asked.map(({ name }) => name).join(" ");
"""


def told(page: Page, script: str) -> Any:
    return page.evaluate(f"async () => {{ {GIVEN} {script} }}")


def test_what_is_done_waits_for_no_read_and_what_was_read_before_is_read_again(blank: Page) -> None:
    script = """
        const reading = sessions.refresh();
        const done = sessions.archive("c", true);
        const sent = names();
        asked[1].yes({});
        const taken = await done;
        asked[0].yes({ results: rows("c", "b"), next: null });
        await settled();
        const before = listed();
        asked[2].yes({ results: rows("b"), next: null });
        await reading;
        return [sent, taken, before, listed(), names()];
    """
    assert told(blank, script) == ["sessions changeSession", True, "", "b", "sessions changeSession sessions"]


def test_a_refusal_stays_until_something_else_is_done(blank: Page) -> None:
    script = """
        const renaming = sessions.rename("c", "C");
        const reading = sessions.refresh();
        asked[0].no(new Error("Refused."));
        const taken = await renaming;
        asked[1].yes({ results: rows("c"), next: null });
        await settled();
        asked[2].yes({ results: rows("c"), next: null });
        await reading;
        const said = sessions.error;
        const again = sessions.rename("c", "C");
        asked[3].yes({ updatedAt: "d" });
        return [taken, said, await again, sessions.error, sessions.items[0].title];
    """
    assert told(blank, script) == [False, "Refused.", True, None, "C"]


def test_older_ones_stay_below_a_first_page_that_is_read_again(blank: Page) -> None:
    script = """
        const first = sessions.refresh();
        asked[0].yes({ results: rows("f", "e", "d"), next: "older" });
        await first;
        const more = sessions.loadMore();
        asked[1].yes({ results: rows("c", "b"), next: "oldest" });
        await more;
        const again = sessions.refresh();
        asked[2].yes({ results: rows("g", "f", "d"), next: "older than d" });
        await again;
        const [kept, next] = [listed(), sessions.next];
        const last = sessions.refresh();
        asked[3].yes({ results: rows("g"), next: null });
        await last;
        return [kept, next, listed(), sessions.next];
    """
    assert told(blank, script) == ["gfdcb", "oldest", "g", None]


def test_rows_that_do_not_go_on_from_the_first_page_and_those_of_a_list_from_the_beginning_are_left_out(
    blank: Page,
) -> None:
    script = """
        const listing = [];
        const read = async (...ids) => {
            const reading = sessions.refresh();
            asked.at(-1).yes({ results: rows(...ids), next: `after ${ids.at(-1)}` });
            const found = await reading;
            listing.push(`${found.map(({ id }) => id).join("")} ${listed()} ${sessions.next}`);
        };
        await read("c", "b");
        await read("d", "c");
        await read("i", "h");
        await read("j", "i");
        sessions.list(false);
        await read("j", "i");
        return listing;
    """
    assert told(blank, script) == [
        *("cb cb after b", "dc dcb after b", "ih ih after h", "ji jih after h", "ji ji after i"),
    ]


def test_what_is_put_away_is_read_where_it_is_by_then(blank: Page) -> None:
    script = """
        const done = sessions.archive("c", true);
        sessions.list(true);
        const reading = sessions.refresh();
        asked[1].yes({ results: [], next: null });
        await reading;
        asked[0].yes({});
        await done;
        asked[2].yes({ results: rows("c"), next: null });
        await settled();
        asked[3]?.yes({ results: rows("c"), next: null });
        await settled();
        return listed();
    """
    assert told(blank, script) == "c"


def test_who_read_first_gets_what_they_read(blank: Page) -> None:
    script = """
        const [first, second] = [sessions.refresh(), sessions.refresh()];
        asked[0].yes({ results: rows("c"), next: null });
        const found = await first;
        asked[1].yes({ results: rows("d"), next: null });
        await second;
        return [found.map(({ id }) => id), listed()];
    """
    assert told(blank, script) == [["c"], "d"]


def test_a_page_of_the_other_list_is_not_taken_and_of_two_reads_the_later_counts(blank: Page) -> None:
    script = """
        const first = sessions.refresh();
        asked[0].yes({ results: rows("f"), next: "older" });
        await first;
        const [more, twice] = [sessions.loadMore(), sessions.refresh()];
        sessions.list(true);
        const [early, late] = [sessions.refresh(), sessions.refresh()];
        asked[4].yes({ results: rows("z"), next: null });
        await late;
        asked[3].yes({ results: rows("y"), next: null });
        asked[2].no(new Error("Not there."));
        asked[1].yes({ results: rows("e"), next: null });
        await Promise.all([more, twice, early]);
        return [listed(), sessions.next, sessions.error];
    """
    assert told(blank, script) == ["z", None, None]


def test_asking_always_shows_what_was_chosen_in_the_conversation_that_is_shown(blank: Page) -> None:
    script = """
        const always = new AskAlways((change) => new Promise((done) => asked.push({ change, done })));
        document.body.append(always.element);
        const [a, b] = ["a", "b"].map((id) => ({ id, requireValidation: false }));
        const shown = [];
        const look = () => shown.push(always.box.checked);
        const press = () => always.box.click();
        always.update(a);
        press();
        always.update(b); look();
        always.update(a); look();
        press(); look();
        always.update(b);
        press(); look();
        asked[0].done(true); await settled(); look();
        asked[1].done(false); await settled(); look();
        always.update({ ...a, requireValidation: true }); look();
        press();
        asked[2].done(true); await settled(); look();
        return [asked.map(({ change }) => change.requireValidation), shown];
    """
    sent = [True, True, False]
    assert told(blank, script) == [sent, [False, True, True, True, True, False, True, False]]


def test_what_was_read_before_a_change_of_the_conversation_does_not_take_it_back(blank: Page) -> None:
    script = """
        const { Conversation } = await import("/static/chat/widget/conversation.js");
        const { signal } = new AbortController();
        const socket = new EventTarget();
        const conversation = new Conversation({ api, socket, context: null, memory: {}, signal });
        api.session = call("session");
        Object.assign(conversation, { id: "a", session: { id: "a", requireValidation: false } });
        const reading = conversation.refreshSession();
        const changing = conversation.changeSession({ requireValidation: true });
        asked[1].yes({ requireValidation: true });
        await changing;
        asked[0].yes({ requireValidation: false, usage: 7, access: "owner" });
        await reading;
        return [conversation.session.requireValidation, conversation.session.usage];
    """
    assert told(blank, script) == [True, 7]
