/* Decides which addresses of a model's answer may become links, and what a reader must see of them. */

const ALLOWED = /^(?:https?:\/\/|mailto:)/i;
const UNSEEN = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]/u;

/** {href, host} of an address that may be linked, else null. No user names: they imitate hosts. */
export function safeAddress(raw) {
  if (!ALLOWED.test(raw) || UNSEEN.test(raw)) return null;
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (!url) return null;
  if (url.protocol === "mailto:") return { href: url.href, host: url.pathname };
  if (url.username || url.password || !url.hostname) return null;
  return { href: url.href, host: url.host };
}

/** True where the text of a link is itself the address, so that its host need not be repeated. */
export function textShowsHost(text, host) {
  const start = text.trim().toLowerCase().replace(/^(?:https?:\/\/|mailto:)/, "");
  return start === host || start.startsWith(`${host}/`) || start.startsWith(`${host}?`) || start.startsWith(`${host}#`);
}

/** Cuts what belongs to the sentence and not to a bare address: closing punctuation, an unopened bracket. */
export function trimBareAddress(raw) {
  let surplus = raw.split(")").length - raw.split("(").length;
  let end = raw.length;
  for (;;) {
    const last = raw[end - 1];
    if (/[.,:;!?'"*_~]/.test(last)) end -= 1;
    else if (last === ")" && surplus > 0) {
      end -= 1;
      surplus -= 1;
    } else return raw.slice(0, end);
  }
}
