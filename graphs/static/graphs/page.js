// On every page: menus that close, the button that changes the theme, and what signing out takes with it.

import { t } from "./strings.js";

const THEMES = ["system", "light", "dark"];
const LABELS = { system: () => t("Theme: as the system"), light: () => t("Theme: light"), dark: () => t("Theme: dark") };

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => closeMenus(event.target.closest?.("details.menu")));
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.activeElement?.closest("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// `Clear-Site-Data` of the answer is not always in time for the tab that asked.
document.addEventListener("submit", (event) => {
  if (!event.target.matches('form[action$="/accounts/logout/"]')) return;
  try {
    sessionStorage.clear();
  } catch {
    // Where there is no storage nothing is left in it.
  }
});

// On a small screen the sections do not all fit. `scrollIntoView` would have the next Tab begin there.
const section = document.querySelector(".sections [aria-current]");
if (section) section.parentElement.scrollLeft = section.offsetLeft + section.offsetWidth - section.parentElement.clientWidth;

function theme() {
  return document.documentElement.dataset.theme ?? "system";
}

function setTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const age = name === "system" ? 0 : 31536000;
  document.cookie = `theme=${name}; path=/; max-age=${age}; samesite=lax`;
}

const button = document.querySelector("[data-theme-button]");
if (button) {
  const label = () => {
    button.title = LABELS[theme()]();
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    label();
  });
  label();
  button.hidden = false;
}
