// Small helpers. Text enters the page as text only, never as HTML.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

// What has a label: a row, or an item that people voted on, which is called by its name.
const rowWord = data.row ?? "row";
const rowTitle = rowWord[0].toUpperCase() + rowWord.slice(1);
const nameOf = (row) => data.ids?.[row] ?? String(row);

// The same rule as visible() in errata/_format.py: what the screen would obey unseen is written out.
// With "u", a character beyond U+FFFF is one, and only a lone half of it is written out.
const unseen = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]|\r(?!\n)/gu;
const visible = (text) => text.replace(unseen, (found) => {
  if (found === "\r") return "\\r";
  const code = found.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
});

// The same rule as round_cell() in errata/_format.py: of a number with many digits six are shown.
const longNumber = /^-?(0|[1-9]\d{0,5})\.\d{6,}(e-?\d+)?$/;
const rounded = (text) => (longNumber.test(text) ? String(Number(Number(text).toPrecision(6))) : text);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  const given = children.filter((child) => child !== null && child !== undefined);
  made.append(...given.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

function button(text, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}

// The same rules as count(), plural() and percent() in errata/_format.py.
const count = (number) => number.toLocaleString("en");
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

function percent(fraction) {
  if (fraction > 0 && fraction < 0.001) return "<0.1%";
  if (fraction >= 0.995 && fraction < 1) return ">99%";
  return `${(100 * fraction).toFixed(fraction >= 0.0995 || fraction === 0 ? 0 : 1)}%`;
}
