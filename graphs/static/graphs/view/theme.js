// Light or dark: what the page chose with [data-theme], else what the system prefers.

const dark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && dark.matches);
}

/** Keeps the class `dark` of `element` true and calls `changed()` after a change, until `signal` fires. */
export function followTheme(element, changed, signal) {
  const apply = () => {
    const before = element.classList.contains("dark");
    element.classList.toggle("dark", isDark());
    if (before !== isDark()) changed();
  };
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  dark.addEventListener("change", apply, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  apply();
}
