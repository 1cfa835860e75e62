/* Builds elements. Text is always text: there is no way to pass HTML. */

/** h("button", {class, text, on: {click}, data: {key}, ...attributes or properties}, ...children) */
export function h(tag, { class: name, text, on = {}, data = {}, ...rest } = {}, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  for (const [event, listener] of Object.entries(on)) if (listener) element.addEventListener(event, listener);
  Object.assign(element.dataset, data);
  for (const [key, value] of Object.entries(rest)) setProperty(element, key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function setProperty(element, key, value) {
  if (value === undefined || value === null) return;
  if (key in element && !key.includes("-")) element[key] = value;
  else element.setAttribute(key, value);
}

/** Makes `container` hold exactly these elements, in this order, moving as few as possible. */
export function arrange(container, wanted) {
  const kept = new Set(wanted);
  for (const child of [...container.childNodes]) if (!kept.has(child)) child.remove();
  let place = container.firstChild;
  for (const element of wanted) {
    if (place === element) place = place.nextSibling;
    else container.insertBefore(element, place);
  }
}
