// The labels where they are many: all of them, searched by name and sorted by any column.
const mostClasses = 200; // at once; the rest is found by searching
const classOrder = { key: "wrong", down: true };

// The order of the fields is that of _packed_class() in _payload.py, the columns are those of the page.
const classLines = data.classes.map(([code, rows, wrong, rate, flagged]) => ({ name: data.names[code], rows, wrong, rate, flagged }));
const classKeys = ["name", "rows", "wrong", "rate", "flagged"];

function cutName(text) {
  return element("span", { class: "cut", title: visible(text) }, element("bdi", {}, text));
}

function classRow(line, most) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.width = `${(100 * line.rate) / most}%`;
  const number = (value) => element("td", { class: "n" }, count(value));
  const wrong = Number(line.wrong.toFixed(line.wrong < 100 ? 1 : 0));
  const rate = element("td", { class: "barred" }, element("span", { class: "n" }, percent(line.rate)), bar);
  const name = element("th", { scope: "row", class: "name" }, cutName(line.name));
  return element("tr", {}, name, number(line.rows), number(wrong), rate, number(line.flagged));
}

function showClasses() {
  const text = byId("find-class").value.trim().toLowerCase();
  const { key, down } = classOrder;
  const order = (a, b) => (key === "name" ? collator.compare(a.name, b.name) : a[key] - b[key]);
  const found = classLines.filter((line) => visible(line.name).toLowerCase().includes(text));
  found.sort((a, b) => (down ? -order(a, b) : order(a, b)));
  const most = Math.max(...classLines.map((line) => line.rate)) || 1;
  const shown = found.slice(0, mostClasses);
  byId("class-table").tBodies[0].replaceChildren(...shown.map((line) => classRow(line, most)));
  const first = shown.length < found.length ? `, the first ${shown.length} shown` : "";
  byId("class-count").textContent = `${count(found.length)} of ${plural(classLines.length, "label")}${first}.`;
  startCuts();
}

function sortClasses(key) {
  classOrder.down = classOrder.key === key ? !classOrder.down : key !== "name";
  classOrder.key = key;
  showClassHead();
  showClasses();
}

function showClassHead() {
  [...byId("class-table").tHead.rows[0].cells].forEach((cell, place) => {
    if (classOrder.key !== classKeys[place]) cell.removeAttribute("aria-sort");
    else cell.setAttribute("aria-sort", classOrder.down ? "descending" : "ascending");
  });
}

function startClasses() {
  if (!classLines.length) return;
  [...byId("class-table").tHead.rows[0].cells].forEach((cell, place) => {
    cell.replaceChildren(button(cell.textContent, () => sortClasses(classKeys[place])));
  });
  byId("find-class").addEventListener("input", showClasses);
  showClassHead();
  showClasses();
}
