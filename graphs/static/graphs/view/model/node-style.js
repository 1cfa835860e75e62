// Which icon and which colour a node gets, by the family its type belongs to. Asked by the drawing and the details.

import { ICONS } from "../../icons.js";

// Colours are the classes `hue-0` (red) to `hue-13` (grey) of the stylesheet; unknown types share these.
const FREE_HUES = [1, 3, 5, 6, 7, 8, 9, 11, 12];

const BUILT_IN = {
  starter: ["start", 4],
  return: ["finish", 0],
  html: ["page", 1],
  entryType: ["form", 8],
  note: ["note", 2],
};

// The first family whose pattern is found among the words of the type wins.
const FAMILIES = [
  ["branch", 2, /^(if|switch)$|\b(branch|router|condition)\b/],
  ["alert", 0, /\b(error|catch|stop and error|exception)\b/],
  ["clock", 4, /\b(schedule|cron|interval|timer|inject)\b/],
  ["webhook", 4, /\b(webhook|http in)\b/],
  ["chat", 4, /\bchat trigger\b/],
  ["form", 4, /\bform\b/],
  ["trigger", 4, /\b(trigger|start|event)\b/],
  ["merge", 2, /\b(merge|join|aggregate|batch|combine)\b/],
  ["filter", 2, /\b(filter|limit|remove duplicates|rbe|compare datasets)\b/],
  ["loop", 2, /\b(split in batches|loop|split|split out|item lists|range|repeat)\b/],
  ["clock", 2, /\b(wait|delay)\b/],
  ["pass", 13, /\b(no op|junction|complete)\b/],
  ["memory", 10, /\b(memory|vector store|embeddings?|retriever)\b/],
  ["tool", 10, /\b(tool|mcp)\b/],
  ["spark", 10, /\b(agent|lm|llm|chain|open ai|anthropic|gemini|mistral|ollama|langchain|ai|gpt|classifier|extractor|output parser|text splitter|hugging face|perplexity)\b/],
  ["code", 9, /\b(code|function|python|javascript|script|exec|execute command|ssh|eval)\b/],
  ["globe", 7, /\b(http|https|api|request|graphql|rest|url|respond|rss)\b/],
  ["layers", 8, /\b(workflow|subflow|sub|link|call)\b/],
  ["table", 5, /\b(sheets?|airtable|excel|spreadsheet|baserow|grist|nocodb|csv|table|coda)\b/],
  ["database", 6, /\b(postgres|postgresql|my sql|mysql|sql|sqlite|mongo|mongodb|redis|supabase|database|db|elasticsearch|qdrant|pinecone|big query|dynamo|snowflake|filemaker|store|cache|log ?store)\b/],
  ["mail", 12, /\b(gmail|mail|email|imap|smtp|outlook|mailchimp|mailer|send grid|mailgun|mautic|newsletter)\b/],
  ["chat", 7, /\b(slack|telegram|discord|whats app|twilio|mattermost|teams|matrix|sms|chat|message|messenger|zulip)\b/],
  ["calendar", 11, /\b(calendar|calendly|date|time|todoist|to do|tasks?)\b/],
  ["cloud", 6, /\b(drive|dropbox|aws|s3|box|nextcloud|one drive|storage|ftp)\b/],
  ["file", 6, /\b(file|files|pdf|docs?|document|binary|read|write|compression)\b/],
  ["image", 11, /\b(image|photo|video|audio|media|vision|spotify|you tube)\b/],
  ["bug", 13, /\b(debug|log|logger|status|execution data|test)\b/],
  ["lock", 13, /\b(crypto|jwt|auth|totp|secret|tls)\b/],
  ["radio", 7, /\b(mqtt|tcp|udp|websocket|socket|serial|amqp|kafka|rabbitmq|listener|client)\b/],
  ["people", 12, /\b(hubspot|salesforce|pipedrive|crm|contact|user|users|linked in|twitter|facebook|zendesk)\b/],
  ["braces", 3, /\b(json|xml|yaml|html|markdown|template|parse|parser|format|text)\b/],
  ["edit", 3, /\b(set|change|edit|rename|transform|map|assign|sort)\b/],
];

const ICON_NAMES = [
  ["mail", /mail|inbox|envelope/], ["database", /data|storage|server/], ["globe", /globe|world|web|http|network|api/],
  ["code", /code|terminal|function/], ["clock", /clock|time|alarm/], ["calendar", /calendar|date/], ["chat", /chat|message|comment/],
  ["filter", /filter|funnel/], ["branch", /branch|split|fork|share/], ["merge", /merge|join/], ["loop", /loop|repeat|refresh|rotate|sync/],
  ["spark", /spark|star|bot|brain|magic|ai/], ["file", /file|doc|pdf/], ["image", /image|photo|picture/], ["table", /table|grid|sheet/],
  ["people", /user|people|person|contact/], ["lock", /lock|key|shield/], ["alert", /alert|warn|error/], ["bug", /bug|debug/],
  ["cloud", /cloud/], ["trigger", /bolt|zap|flash|trigger/], ["start", /play|start/], ["finish", /flag|finish|return|end/],
  ["edit", /edit|pen/], ["sliders", /slider|setting|tune|gear|cog/], ["tool", /tool|wrench/], ["form", /form|list|clipboard/],
  ["layers", /layer|stack|workflow/], ["page", /page|window|layout|html/], ["box", /box|cube|package/],
];

/** `@n8n/n8n-nodes-langchain.lmChatOpenAi` -> "lm chat open ai": the words of a type, without its package. */
function typeWords(type) {
  return type
    .replace(/^.*[./](?=[^./]+$)/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/[_\-:\s]+/g, " ")
    .trim();
}

/** A stable number from a text (FNV-1a). */
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

function monogram(words) {
  const parts = words.split(" ").filter(Boolean);
  const letters = parts.length > 1 ? Array.from(
    parts[0],
  )[0] + Array.from(parts[1])[0] : Array.from(words).slice(0, 2).join("");
  return letters.toUpperCase() || "?";
}

function namedIcon(name) {
  if (!name) return null;
  if (Object.hasOwn(ICONS, name)) return { path: ICONS[name] };
  if (Array.from(name).length <= 2) return { text: name };
  const found = ICON_NAMES.find(([, pattern]) => pattern.test(name.toLowerCase()));
  return found ? { path: ICONS[found[0]] } : null;
}

function family(type, category) {
  const words = typeWords(type).toLowerCase();
  const ai = /langchain/.test(type) ? ["spark", 10] : null;
  const find = (text) => FAMILIES.find(([, , pattern]) => pattern.test(text));
  return find(words) ?? ai ?? (category ? find(category.toLowerCase()) : null);
}

const ACRONYMS = /\b(?:ai|api|aws|csv|db|ftp|gpt|html|http|id|jwt|lm|llm|mqtt|pdf|rss|s3|sms|smtp|sql|ssh|tcp|udp|url|xml)\b/gi;

/** "lm chat open ai" -> "LM chat open AI" */
function asTitle(words) {
  const text = words.toLowerCase().replace(ACRONYMS, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function styleOf(type, nodeType) {
  const words = typeWords(type) || type;
  const title = nodeType?.displayName || (Object.hasOwn(BUILT_IN, type) ? type : asTitle(words));
  const known = Object.hasOwn(BUILT_IN, type) ? BUILT_IN[type] : family(type, nodeType?.category);
  const [name, hue] = known ?? [null, FREE_HUES[hash(type) % FREE_HUES.length]];
  const drawing = namedIcon(nodeType?.icon) ?? (name ? { path: ICONS[name] } : { text: monogram(words) });
  return { title, hue, icon: drawing, entry: hue === 4 };
}

/** A function type -> {title, hue, icon: {path} | {text}, entry}, for the node types of one graph. */
export function nodeStyles(nodeTypes) {
  const byKey = new Map(nodeTypes.map((nodeType) => [nodeType.key, nodeType]));
  const styles = new Map();
  return (type) => {
    if (!styles.has(type)) styles.set(type, styleOf(type, byKey.get(type)));
    return styles.get(type);
  };
}
