// An example as a row of the table, and what opens beneath it.
const firstValues = 12;
const hasIds = examples.some((example) => example.id !== null);
const hasPictures = examples.some((example) => example.image);
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

for (const example of examples) example.why = example.reasons[0] ?? "";

function picture(example) {
  if (!example.image) return null;
  const image = element("img", { src: example.image, alt: `Picture of row ${example.row}`, width: 48, height: 48 });
  image.addEventListener("load", () => image.classList.toggle("tiny", image.naturalWidth < 40));
  return image;
}

function chanceCell(example) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.width = `${100 * example.chance}%`;
  const pill = example.flagged ? element("span", { class: "pill" }, "flagged") : null;
  return element("td", { class: `chance${example.flagged ? "" : " unflagged"}` }, percent(example.chance), pill, bar);
}

function openCell(example) {
  const isOpen = opened.has(example.row);
  const toggle = button(isOpen ? "Less" : "More", () => toggleDetail(example), {
    "aria-expanded": String(isOpen),
    "aria-label": `${isOpen ? "Less" : "More"} about row ${example.row}`,
  });
  return element("td", { class: "open" }, toggle);
}

function exampleRow(example) {
  const cells = {
    row: () => element("td", { class: "row" }, String(example.row)),
    id: () => element("td", { class: "id" }, example.id ?? ""),
    picture: () => element("td", { class: "picture" }, picture(example)),
    label: () => element("td", { class: "label" }, example.label),
    suggested: () => element("td", { class: "suggested" }, example.suggested),
    chance: () => chanceCell(example),
    why: () => element("td", { class: "why" }, example.why),
    open: () => openCell(example),
  };
  const made = element("tr", { id: `example-${example.row}`, tabindex: "-1", class: opened.has(example.row) ? "opened" : null });
  made.append(...tableColumns.map((column) => cells[column.kind]()));
  return made;
}

function toggleDetail(example) {
  const line = byId(`example-${example.row}`);
  if (opened.delete(example.row)) line.nextElementSibling.remove();
  else {
    opened.add(example.row);
    line.after(detailRow(example));
  }
  const fresh = exampleRow(example);
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
  const link = isExample(near.row) ? button(name, () => openExample(near.row), { class: "link" }) : name;
  return element("li", {}, link, `: ${near.label}`);
}

function detailRow(example) {
  const left = element("div", {}, element("h4", {}, "Why"));
  left.append(element("ul", {}, ...example.reasons.map((reason) => element("li", {}, reason))));
  if (example.similar.length) {
    left.append(element("h4", {}, "Similar rows and their labels"));
    left.append(element("ul", { class: "similar" }, ...example.similar.map(similarItem)));
  }
  if (data.map && data.map.row.includes(example.row)) left.append(button("Show on the map", () => showOnMap(example.row)));
  const right = element("div", {}, element("h4", {}, "Values"), ...valueList(example.values));
  const cell = element("td", { colspan: tableColumns.length }, element("div", { class: "detail-grid" }, left, right));
  return element("tr", { class: "detail" }, cell);
}
