// An example as a row of the table, which opens.
const previewed = { columns: 3, characters: 180 };
const hasIds = examples.some((example) => example.id !== null);
const hasPictures = examples.some((example) => example.image);
const hasValues = examples.some((example) => example.values.length);
const opened = new Set();

// What the table shows, left to right; a key makes a column sortable.
const tableColumns = [
  rowWord === "row" && { name: "Row", key: "row", kind: "row" },
  hasIds && { name: rowWord === "row" ? "Id" : rowTitle, key: "id", kind: "id" },
  hasPictures && { name: "Picture", kind: "picture" },
  { name: data.words.label, key: "label", kind: "label" },
  { name: data.words.suggested, key: "suggested", kind: "suggested" },
  { name: "Probably wrong", key: "chance", kind: "chance", down: true },
  { name: hasValues ? "Values and reason" : "Why", key: "why", kind: "why" },
  { name: "", kind: "open" },
].filter(Boolean);

for (const example of examples) example.why = example.reasons[0] ?? "";

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
    "aria-label": `${isOpen ? "Less" : "More"} about ${rowWord} ${nameOf(example.row)}`,
  });
  return element("td", { class: "open" }, toggle);
}

// What the row holds, in short: how a text begins, and the columns that come first.
function preview(example) {
  const places = example.values.map((_, place) => place);
  const text = places.find((place) => isLong(example.values[place]));
  const short = places.filter((place) => !isLong(example.values[place]));
  const shown = text === undefined ? short.slice(0, previewed.columns) : short.filter((place) => place < example.speaking).slice(0, 2);
  const pairs = shown.map((place) =>
    element("span", { class: "pair-of" }, element("bdi", { class: "name" }, shortened(example.columns[place], 30)), " ", own(rounded(example.values[place]))),
  );
  return [
    text === undefined ? null : element("p", { class: "begin", dir: "auto" }, shortened(example.values[text], previewed.characters)),
    pairs.length ? element("p", { class: "pairs-of" }, ...pairs) : null,
  ];
}

function exampleRow(example) {
  const cells = {
    row: () => element("td", { class: "row" }, String(example.row)),
    id: () => element("td", { class: "id" }, named(example.id ?? "")),
    picture: () => element("td", { class: "picture" }, picture(example, `Picture of ${rowWord} ${nameOf(example.row)}`)),
    label: () => element("td", { class: "label" }, named(example.label)),
    suggested: () => element("td", { class: "suggested" }, named(example.suggested)),
    chance: () => chanceCell(example),
    why: () => element("td", { class: "why" }, ...preview(example), element("p", {}, reasonText(example.why))),
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
