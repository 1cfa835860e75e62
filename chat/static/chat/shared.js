/* The page behind a link to a conversation follows it: it is fetched again, and what is new takes its place.
 *
 * There is no open stream: each look goes the way of the first one, so that a link that has ended shows nothing more.
 */

const EVERY_MS = 4_000;
const shown = document.getElementById("shared");
const ended = document.getElementById("shared-ended");
let looking = false;

async function look() {
  if (looking || document.visibilityState !== "visible") return;
  looking = true;
  try {
    const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin" });
    if (answer.status === 404) end();
    else if (answer.ok) show(await answer.text());
  } catch {
    // Without a connection it stays as it is, until the next look.
  } finally {
    looking = false;
  }
}

function end() {
  clearInterval(timer);
  document.removeEventListener("visibilitychange", look);
  document.title = "";
  shown.replaceChildren(ended.content.cloneNode(true));
}

function show(text) {
  const now = new DOMParser().parseFromString(text, "text/html").getElementById("shared");
  if (now) renew(shown, now);
}

/** Changes only what differs, so that what is read, opened or marked stays as it is. */
function renew(here, there) {
  const before = [...here.children];
  const after = [...there.children];
  after.forEach((child, place) => {
    const old = before[place];
    if (!old) here.append(child);
    else if (old.matches(".shared-messages") && child.matches(".shared-messages")) renew(old, child);
    else if (!same(old, child)) old.replaceWith(child);
  });
  before.slice(after.length).forEach((old) => old.remove());
}

/** Whether they show the same, whatever was opened meanwhile. */
function same(old, child) {
  const closed = old.cloneNode(true);
  closed.querySelectorAll("details[open]").forEach((each) => each.removeAttribute("open"));
  return closed.isEqualNode(child);
}

const timer = setInterval(look, EVERY_MS);
document.addEventListener("visibilitychange", look);
