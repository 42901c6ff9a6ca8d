// Small helpers. Text enters the page as text only, never as HTML.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
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
  return `${(100 * fraction).toFixed(fraction >= 0.0995 || fraction === 0 ? 0 : 1)}%`;
}
