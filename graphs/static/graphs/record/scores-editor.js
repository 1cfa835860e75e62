// How something is rated on the axes of what holds it: 1 to 5 or none, and why.

import { html } from "../dom.js";
import { t } from "../strings.js";

const RATINGS = [1, 2, 3, 4, 5];

const scoresOf = (value) => (Array.isArray(value) ? value : []);

export function scoresEditor(value, { axes }, raw = scoresOf(value)) {
  const known = new Map(raw.map((score) => [score.axisId, score]));
  const rows = axes.map((axis) => row(axis, known.get(axis.id)));
  const table = html(
    "table",
    { class: "scores" },
    html("thead", {}, html("tr", {}, ...[t("Axis"), t("Rating"), t("Why")].map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, ...rows.map(({ element }) => element)),
  );
  const nothing = html("p", { class: "notice" }, t("The folder has no axes yet. They are fields of the folder."));
  /** Ratings of axes that are not there any more stay as they are. */
  const scores = () => {
    const now = new Map(rows.map(({ id, score }) => [id, score()]));
    const kept = raw.map((score) => now.get(score.axisId) ?? score);
    const others = rows.filter(({ id }) => !known.has(id)).map(({ score }) => score());
    return [...kept, ...others.filter(({ rating, description }) => rating !== null || description)];
  };
  return {
    element: axes.length ? table : nothing,
    raw: scores,
    value: scores,
    focus: () => rows[0]?.focus(),
  };
}

function row({ id, name, levels = [] }, score = { axisId: id, rating: null }) {
  const words = new Map((levels ?? []).map(({ rating, label }) => [rating, label]));
  const options = RATINGS.map((rating) => {
    const text = words.get(rating) ? `${rating} – ${words.get(rating)}` : String(rating);
    return html("option", { value: String(rating) }, text);
  });
  const none = html("option", { value: "" }, t("not rated"));
  const rating = html("select", { "aria-label": t("Rating of {axis}", { axis: name }) }, none, ...options);
  rating.value = score.rating ?? "";
  const why = html("textarea", { rows: "2", placeholder: t("Why"), "aria-label": t("Why, of {axis}", { axis: name }) });
  why.value = score.description ?? "";
  return {
    id,
    element: html("tr", {}, html("th", { scope: "row", dir: "auto" }, name), html("td", {}, rating), html("td", {}, why)),
    focus: () => rating.focus(),
    score: () => {
      const rated = { ...score, axisId: id, rating: rating.value ? Number(rating.value) : null };
      if (why.value || score.description) rated.description = why.value;
      return rated;
    },
  };
}
