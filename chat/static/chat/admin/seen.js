/* "Copy as JSON" on the page that shows what the model saw: the request is fetched when it is wanted. */

import { copyText } from "../widget/clipboard.js";

const SHOWN_MS = 2_000;

async function copy(button) {
  const answer = await fetch(button.dataset.copy, { headers: { Accept: "application/json" } });
  return answer.ok && copyText(await answer.text());
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  const label = button.textContent;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    const copied = await copy(button).catch(() => false);
    button.textContent = copied ? button.dataset.copied : button.dataset.failed;
    setTimeout(() => { button.textContent = label; }, SHOWN_MS);
  });
}
