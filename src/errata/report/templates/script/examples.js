// The list: filters, order and pages.
const paging = { page: 0, size: 25 };
let chosen = [];

function fillBody(rows) {
  const body = byId("example-body");
  body.replaceChildren();
  for (const example of rows) {
    body.append(exampleRow(example));
    if (opened.has(example.row)) body.append(detailRow(example));
  }
  if (!rows.length) {
    body.append(element("tr", { class: "none" }, element("td", { colspan: tableColumns.length }, `No ${rowWord} matches.`)));
  }
}

function showPage() {
  const pages = Math.max(1, Math.ceil(chosen.length / paging.size));
  paging.page = Math.min(Math.max(paging.page, 0), pages - 1);
  const start = paging.page * paging.size;
  fillBody(chosen.slice(start, start + paging.size));
  byId("page").textContent = `Page ${paging.page + 1} of ${pages}`;
  byId("previous").disabled = paging.page === 0;
  byId("next").disabled = paging.page === pages - 1;
}

function showHead() {
  const cells = tableColumns.map((column) => {
    if (!column.key) return element("th", { scope: "col", class: column.kind }, column.name);
    const isSorted = wanted.key === column.key;
    const sort = isSorted ? (wanted.down ? "descending" : "ascending") : null;
    return element("th", { scope: "col", class: column.kind, "aria-sort": sort }, button(column.name, () => headSort(column)));
  });
  byId("example-head").replaceChildren(...cells);
}

function sortBy(column) {
  wanted.down = wanted.key === column.key ? !wanted.down : Boolean(column.down);
  wanted.key = column.key;
  byId("sort-by").value = column.key;
  update();
}

// The head is made anew, so the button that had the focus gets it back.
function headSort(column) {
  sortBy(column);
  byId("example-head").querySelector("[aria-sort] button").focus();
}

function update() {
  chosen = selected();
  paging.page = 0;
  const filtered = wanted.text || wanted.label || wanted.suggested || wanted.flagged;
  byId("found").textContent = filtered
    ? `${count(chosen.length)} of ${plural(examples.length, rowWord)}`
    : plural(examples.length, rowWord);
  byId("clear").hidden = !filtered;
  showHead();
  showPage();
}

function setFilters({ text = "", label = "", suggested = "", flagged = false }) {
  Object.assign(wanted, { text, label, suggested, flagged });
  byId("find").value = text;
  byId("by-label").value = label;
  byId("by-suggested").value = suggested;
  byId("only-flagged").checked = flagged;
  update();
}

// Bring one example into view, wherever filters and pages have put it.
function openExample(row) {
  const place = () => chosen.findIndex((example) => example.row === row);
  if (place() < 0) setFilters({});
  paging.page = Math.floor(place() / paging.size);
  opened.add(row);
  showPage();
  const line = byId(`example-${row}`);
  line.classList.add("found");
  line.scrollIntoView({ block: "center" });
  line.focus({ preventScroll: true });
}

function fillChoices() {
  const options = (key) =>
    [...new Set(examples.map((example) => example[key]))]
      .sort(collator.compare)
      .map((name) => element("option", { value: name }, name));
  byId("by-label").append(...options("label"));
  byId("by-suggested").append(...options("suggested"));
  const sortable = tableColumns.filter((column) => column.key);
  byId("sort-by").append(...sortable.map(({ name, key }) => element("option", { value: key }, name)));
  byId("sort-by").value = wanted.key;
}

function turn(step) {
  paging.page += step;
  showPage();
  byId("example-table").scrollIntoView();
}

function listen() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on("find", "input", (event) => { wanted.text = event.target.value.trim().toLowerCase(); update(); });
  on("by-label", "change", (event) => { wanted.label = event.target.value; update(); });
  on("by-suggested", "change", (event) => { wanted.suggested = event.target.value; update(); });
  on("only-flagged", "change", (event) => { wanted.flagged = event.target.checked; update(); });
  on("sort-by", "change", (event) => sortBy(tableColumns.find(({ key }) => key === event.target.value)));
  on("clear", "click", () => setFilters({}));
  on("previous", "click", () => turn(-1));
  on("next", "click", () => turn(1));
  on("page-size", "change", (event) => { paging.size = Number(event.target.value); showPage(); });
  on("download", "click", () => download(chosen));
  on("copy", "click", async () => {
    await copyText(chosen.map((example) => nameOf(example.row)).join("\n"));
    byId("found").textContent = `${plural(chosen.length, rowWord === "row" ? "row number" : rowWord)} copied`;
  });
}

function startExamples() {
  if (!examples.length) return;
  byId("example-table").classList.toggle("pictured", hasPictures);
  fillChoices();
  listen();
  update();
  for (const pair of document.querySelectorAll("button.pair")) {
    pair.addEventListener("click", () => {
      setFilters({ label: pair.dataset.label, suggested: pair.dataset.suggested, flagged: true });
      byId("examples").scrollIntoView();
    });
  }
}
