// Colours code: splits JavaScript, JSON, Python, SQL and HTML into words that the stylesheet knows. Code never becomes
// markup.

import { html } from "../dom.js";

const LONGEST = 60_000;

const JS_WORDS = "async await break case catch class const continue default delete do else export extends finally for from function if import in instanceof let new of return static super switch this throw try typeof var void while with yield";
const PYTHON_WORDS = "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case self";
const SQL_WORDS = "select from where insert into update delete set values join left right inner outer on group by order limit offset and or not null as distinct having union create table alter drop with case when then else end";

const string = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`;
const number = String.raw`\b(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;

function rules(comment, strings, words, constants, flags = "") {
  const group = (list) => String.raw`\b(?:${list.split(" ").join("|")})\b`;
  const parts = [
    `(?<comment>${comment})`,
    `(?<string>${strings})`,
    `(?<keyword>${group(words)})`,
    `(?<constant>${group(constants)})`,
    `(?<number>${number})`,
    String.raw`(?<call>\b[A-Za-z_$][\w$]*(?=\s*\())`,
  ];
  return new RegExp(parts.join("|"), `g${flags}`);
}

const LANGUAGES = {
  javascript: rules(
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
    String.raw`${string}|` + "`(?:\\\\[\\s\\S]|[^`\\\\])*`?",
    JS_WORDS,
    "true false null undefined NaN Infinity",
  ),
  python: rules(
    String.raw`#[^\n]*`,
    String.raw`[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|${string})`,
    PYTHON_WORDS,
    "True False None",
  ),
  sql: rules(String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`, string, SQL_WORDS, "true false null", "i"),
  json: /(?<property>"(?:\\.|[^"\\\n])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\\n])*")|(?<constant>\b(?:true|false|null)\b)|(?<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g,
  html: /(?<comment><!--[\s\S]*?(?:-->|$))|(?<keyword><\/?[A-Za-z][\w-]*|\/?>)|(?<property>\b[\w-]+(?==))|(?<string>"[^"\n]*"|'[^'\n]*')|(?<constant>\{\{[\s\S]*?\}\})/g,
  text: null,
};

export const LANGUAGE_NAMES = {
  javascript: "JavaScript", python: "Python", sql: "SQL", json: "JSON", html: "HTML", text: "Text",
};

function isJson(code) {
  if (!/^\s*[[{]/.test(code) || code.length > LONGEST) return false;
  try {
    JSON.parse(code);
    return true;
  } catch {
    return false;
  }
}

/** The language of a node's code, from what it says of itself and from how it looks. */
export function languageOf(code, node) {
  const said = `${node.data?.language ?? ""} ${node.type}`.toLowerCase();
  if (/python|pandas/.test(said)) return "python";
  if (/sql|postgres|sqlite/.test(said)) return "sql";
  if (isJson(code)) return "json";
  if (/html/.test(said) || /^\s*<(?:!doctype|html|div|[a-z][\w-]*[\s>])/i.test(code)) return "html";
  if (/javascript|function|code/.test(said)) return "javascript";
  if (/^\s*(?:def |from \w[\w.]* import |import \w+\s*$|@\w+)/m.test(code) && !/[{;]\s*$/m.test(code)) return "python";
  if (/^\s*(?:select|insert|update|delete|with)\b[\s\S]*\b(?:from|into|set|as)\b/i.test(code)) return "sql";
  return "javascript";
}

/** Text nodes and spans with the classes `code-keyword`, `code-string` and so on. */
export function highlighted(code, language) {
  const pattern = LANGUAGES[language];
  if (!pattern || code.length > LONGEST) return [code];
  const parts = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined) ?? [];
    if (!kind || !match[0]) continue;
    if (match.index > end) parts.push(code.slice(end, match.index));
    parts.push(html("span", { class: `code-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(code.slice(end));
  return parts;
}
