// Building elements. Data only ever becomes text nodes, attributes and properties, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element; `onclick` and its like are listeners, strings among the children become text. */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** An icon: a 24 x 24 line drawing that takes the colour of its text. */
export function icon(path, size = 18) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true" },
    svg("path", { d: path }),
  );
}

/** A button of the page's own look. */
export function textButton(label, onclick, attributes = {}) {
  return html("button", { type: "button", class: "button small", onclick, ...attributes }, label);
}

export function iconButton(path, label, onclick, attributes = {}) {
  return html(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes },
    icon(path),
  );
}
