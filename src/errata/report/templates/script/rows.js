// A suspect as a row of the table, and what opens beneath it.
const firstValues = 12;
const hasIds = suspects.some((suspect) => suspect.id !== null);
const hasPictures = suspects.some((suspect) => suspect.image);
const opened = new Set();

// What the table shows, left to right; a key makes a column sortable.
const tableColumns = [
  { name: "Row", key: "row", kind: "row" },
  hasIds && { name: "Id", key: "id", kind: "id" },
  hasPictures && { name: "Picture", kind: "picture" },
  { name: "Label", key: "label", kind: "label" },
  { name: "Suggestion", key: "suggested", kind: "suggested" },
  { name: "Probably wrong", key: "chance", kind: "chance", down: true },
  { name: "Why", key: "why", kind: "why" },
  { name: "", kind: "open" },
].filter(Boolean);

for (const suspect of suspects) suspect.why = suspect.reasons[0] ?? "";

function picture(suspect) {
  if (!suspect.image) return null;
  const image = element("img", { src: suspect.image, alt: `Picture of row ${suspect.row}`, width: 48, height: 48 });
  image.addEventListener("load", () => image.classList.toggle("tiny", image.naturalWidth < 40));
  return image;
}

function chanceCell(suspect) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.width = `${100 * suspect.chance}%`;
  const pill = suspect.flagged ? element("span", { class: "pill" }, "flagged") : null;
  return element("td", { class: `chance${suspect.flagged ? "" : " unflagged"}` }, percent(suspect.chance), pill, bar);
}

function openCell(suspect) {
  const isOpen = opened.has(suspect.row);
  const toggle = button(isOpen ? "Less" : "More", () => toggleDetail(suspect), {
    "aria-expanded": String(isOpen),
    "aria-label": `${isOpen ? "Less" : "More"} about row ${suspect.row}`,
  });
  return element("td", { class: "open" }, toggle);
}

function suspectRow(suspect) {
  const cells = {
    row: () => element("td", { class: "row" }, String(suspect.row)),
    id: () => element("td", { class: "id" }, suspect.id ?? ""),
    picture: () => element("td", { class: "picture" }, picture(suspect)),
    label: () => element("td", { class: "label" }, suspect.label),
    suggested: () => element("td", { class: "suggested" }, suspect.suggested),
    chance: () => chanceCell(suspect),
    why: () => element("td", { class: "why" }, suspect.why),
    open: () => openCell(suspect),
  };
  const made = element("tr", { id: `suspect-${suspect.row}`, tabindex: "-1", class: opened.has(suspect.row) ? "opened" : null });
  made.append(...tableColumns.map((column) => cells[column.kind]()));
  return made;
}

function toggleDetail(suspect) {
  const line = byId(`suspect-${suspect.row}`);
  if (opened.delete(suspect.row)) line.nextElementSibling.remove();
  else {
    opened.add(suspect.row);
    line.after(detailRow(suspect));
  }
  const fresh = suspectRow(suspect);
  line.replaceWith(fresh);
  fresh.querySelector("td.open button").focus();
}

function valueList(values) {
  const pair = ([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, String(value)));
  const list = element("dl", { class: "values" }, ...values.slice(0, firstValues).map(pair));
  if (values.length <= firstValues) return [list];
  const rest = button(`Show all ${count(values.length)} columns`, () => {
    list.append(...values.slice(firstValues).map(pair));
    rest.remove();
  });
  return [list, rest];
}

function similarItem(near) {
  const name = `row ${near.row}`;
  const link = isSuspect(near.row) ? button(name, () => openSuspect(near.row), { class: "link" }) : name;
  return element("li", {}, link, `: ${near.label}`);
}

function detailRow(suspect) {
  const left = element("div", {}, element("h4", {}, "Why"));
  left.append(element("ul", {}, ...suspect.reasons.map((reason) => element("li", {}, reason))));
  if (suspect.similar.length) {
    left.append(element("h4", {}, "Similar rows and their labels"));
    left.append(element("ul", { class: "similar" }, ...suspect.similar.map(similarItem)));
  }
  if (data.map && data.map.row.includes(suspect.row)) left.append(button("Show on the map", () => showOnMap(suspect.row)));
  const right = element("div", {}, element("h4", {}, "Values"), ...valueList(suspect.values));
  const cell = element("td", { colspan: tableColumns.length }, element("div", { class: "detail-grid" }, left, right));
  return element("tr", { class: "detail" }, cell);
}
