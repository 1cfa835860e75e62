/* What the attributes of <chat-widget>, and its page, say about the conversation. */

const NO_WELCOME = { invitation: "", placeholder: "", questions: [] };

/** The options of a `Panel`; `close` is there where it can be closed. */
export function optionsOf(element, close) {
  const type = element.getAttribute("context-type");
  const id = element.getAttribute("context-id");
  return {
    context: type && id ? { type, id } : null,
    workspace: element.getAttribute("workspace") ?? "",
    socket: element.getAttribute("socket") ?? "/ws/chat/",
    api: element.getAttribute("api") ?? "/api/v1/",
    userName: element.getAttribute("user-name") ?? "",
    mayEdit: element.hasAttribute("may-edit"),
    welcome: { ...NO_WELCOME, ...JSON.parse(element.getAttribute("welcome") ?? "{}") },
    stream: document.querySelector("[data-stream]")?.dataset.stream ?? "",
    close,
  };
}
