/* What a tool call is called and how it went, in the reader's words. Used by the transcript and the tool badges. */

import { t } from "../../graphs/strings.js";

/** Icon and words of each tool that has words, as the page tells them. */
const BADGES = JSON.parse(document.getElementById("tool-badges")?.textContent || "{}");
const TELLING = ["query", "object", "nodeKey", "typeKey", "nodeKeys", "kind", "name", "key", "text"];
const OBJECT = /^([A-Za-z]\w{0,29}):(.+)$/;
const LONGEST = 40;
const LONGEST_KEY = 12;

/** The icon and the words of a call; of a tool without words its name with spaces. */
export function toolBadge({ name, status }) {
  if (Object.hasOwn(BADGES, name)) return BADGES[name];
  const unfinished = status === "running" || status === "stopped";
  if (name.startsWith("propose_")) return ["edit", unfinished ? t("Proposing a change") : t("Proposed a change")];
  // The form of a generation, which has the name of its type.
  if (name.startsWith("write_")) return ["edit", unfinished ? t("Writing the result") : t("Wrote the result")];
  const words = name.replaceAll("_", " ").trim();
  return ["wrench", words ? words[0].toUpperCase() + words.slice(1) : t("Tool")];
}

/** What a call is about in a few words; "" where nothing says it. An object by its title, where the result has it. */
export function toolSubject({ args, result }) {
  if (args === null || typeof args !== "object") return "";
  const object = objectOf(args);
  const told = object ? inLine(result?.title) || shortened(object) : "";
  const text = told || (TELLING.map((key) => inLine(args[key])).find((each) => each !== "") ?? "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** The name "type:key" of the object that a call is about, else "". */
export function objectOf(args) {
  return OBJECT.test(args?.object) ? args.object : "";
}

/** What is shown of a call whose arguments are being written: how much there is; "" of any other. */
export function writtenSize({ argsText, status }) {
  if (status !== "running" || !argsText) return "";
  return t("{size} kB", { size: Math.max(1, Math.round(argsText.length / 100)) / 10 });
}

/** "ok" or "error" of a finished call, "stopped" of one that its answer did not finish. */
export function toolStatus(status, result) {
  if (result?.interrupted === true) return "stopped";
  if (status === "error" || status === "failed") return "error";
  const failed = result !== null && typeof result === "object" && "error" in result && result.error;
  return failed ? "error" : "ok";
}

export function toolCallFromRest({ id, name, args, arguments: given, result, status }) {
  const missing = result === undefined || result === null;
  const unfinished = status === "running" || status === "pending" || (missing && status === "stopped");
  return {
    id,
    name: name ?? "",
    args: args ?? given,
    argsText: "",
    result: missing ? undefined : result,
    status: unfinished ? "stopped" : toolStatus(status, result),
  };
}

/** The name of an object without most of a key that is long, as a UUID is. */
function shortened(name) {
  const [, type, key] = OBJECT.exec(name);
  return key.length > LONGEST_KEY ? `${type}:${key.slice(0, LONGEST_KEY)}…` : name;
}

/** What can be said of a value in a line; "" for objects, which need not even have a text. */
function inLine(value) {
  if (Array.isArray(value)) return value.map(inLine).filter(Boolean).join(", ");
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
}
