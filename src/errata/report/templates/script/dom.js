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

const count = (number) => number.toLocaleString("en");

// The same rule as percent() in _words.py.
function percent(share) {
  const number = 100 * share;
  if (number > 0 && number < 0.1) return "<0.1\u00a0%";
  return `${number.toFixed(number >= 9.95 || number === 0 ? 0 : 1)}\u00a0%`;
}
