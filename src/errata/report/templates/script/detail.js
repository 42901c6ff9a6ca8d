// What opens beneath an example: reasons, and its values beside those of the nearest rows.
const firstColumns = 12;
const longText = 60; // characters from which a cell is a text to read
const firstCharacters = 400; // of a near row's text; this row's is shown whole

const isLong = (value) => value.length > longText;
const shortened = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

// Text from the table cannot turn what stands beside it around.
const own = (text) => element("bdi", {}, text);

// Within a sentence, a name that is read from right to left would turn around the words after it.
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const turningNames = data.names.filter((name) => rightToLeft.test(name)).sort((a, b) => b.length - a.length);

function reasonText(reason) {
  const name = turningNames.find((each) => reason.includes(each));
  if (name === undefined) return own(reason);
  return element("bdi", {}, ...reason.split(name).flatMap((part, i) => (i ? [own(name), part] : [part])));
}

// A name in little space: long ones are cut, and whole in the tooltip and in what opens.
const named = (name) => (isLong(name) ? element("span", { class: "clamp", title: visible(name) }, own(name)) : own(name));

function picture({ image }, alt, size = 48) {
  if (!image) return null;
  const made = element("img", { src: image, alt, width: size, height: size });
  made.addEventListener("load", () => made.classList.toggle("tiny", made.naturalWidth < 40));
  return made;
}

function rowLink({ row }) {
  const name = `${rowTitle} ${nameOf(row)}`;
  return isExample(row) ? button(name, () => openExample(row), { class: "link" }) : name;
}

// The row and those beside it: what each is called, and what it is labelled.
function shownRows(example) {
  return [
    { ...example, name: `This ${rowWord}`, title: `This ${rowWord}`, differs: new Set() },
    ...example.compared.map((near) => ({ ...near, name: `${rowTitle} ${nameOf(near.row)}`, title: rowLink(near), isNear: true })),
  ];
}

const labelled = (shown) =>
  element("small", {}, shown.isNear ? data.words.near : data.words.own, named(shown.label));

function pictures(rows) {
  const figures = rows.filter((shown) => shown.image).map((shown) =>
    element("figure", {},
      picture(shown, `Picture of ${rowWord} ${nameOf(shown.row)}`, 112),
      element("figcaption", {}, element("strong", {}, shown.title), labelled(shown))));
  return figures.length ? element("div", { class: "pictures" }, ...figures) : null;
}

// The beginning of a text, and a way to the rest of it.
function textWithRest(text, most) {
  const shown = own(shortened(text, most));
  if (text.length <= most) return [shown];
  const more = button(`Show all ${count(text.length)} characters`, () => {
    shown.textContent = visible(text);
    more.remove();
  });
  return [shown, more];
}

function valueCell(shown, place, attributes = {}) {
  const differs = shown.differs.has(place);
  return element("td", { ...attributes, "data-of": shown.name, class: differs ? "differs" : null },
    ...textWithRest(shown.values[place], shown.isNear ? firstCharacters : Infinity),
    differs ? element("span", { class: "unseen" }, " (differs)") : null);
}

// A column of short cells is one line; texts get a line for their name and all the width.
function valueLines(example, rows, place) {
  const speaks = place < example.speaking;
  const name = own(example.columns[place]);
  const mark = speaks ? element("span", { class: "unseen" }, " (speaks against the label)") : null;
  const head = { scope: "row", class: speaks ? "speaks" : null };
  if (!rows.some((shown) => isLong(shown.values[place]))) {
    return [element("tr", {}, element("th", head, name, mark), ...rows.map((shown) => valueCell(shown, place)))];
  }
  const texts = rows.map((shown, i) => valueCell(shown, place, { dir: "auto", colspan: i ? null : 2 }));
  return [
    element("tr", { class: "text-name" }, element("th", { ...head, colspan: rows.length + 1 }, name, mark)),
    element("tr", { class: "text" }, ...texts),
  ];
}

function valueTable(example, rows) {
  const heads = rows.map((shown) => element("th", { scope: "col" }, element("strong", {}, shown.title), labelled(shown)));
  const lines = (places) => places.flatMap((place) => valueLines(example, rows, place));
  const places = example.values.map((_, place) => place);
  const body = element("tbody", {}, ...lines(places.slice(0, firstColumns)));
  const table = element("table", { class: `beside-${rows.length}` },
    element("caption", { class: "unseen" }, `Values of ${rowWord} ${nameOf(example.row)} beside those of the nearest ones`),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Column"), ...heads)), body);
  if (places.length <= firstColumns) return [table];
  const rest = button(`Show all ${count(places.length)} columns`, () => {
    body.append(...lines(places.slice(firstColumns)));
    rest.remove();
  });
  return [table, rest];
}

// How to read the table, for what it holds.
function valueHint(example, rows) {
  const isCut = rows.some((shown) => shown.values.some((text) => isLong(text) && text.endsWith("…")));
  const parts = [
    ...(example.speaking ? speakingHint(example) : []),
    rows.some((shown) => shown.differs.size) ? `Marked cells differ from this ${rowWord}’s. ` : null,
    isCut ? "A text that ends in … goes on in the table." : null,
  ].filter(Boolean);
  return parts.length ? element("p", { class: "hint" }, ...parts) : null;
}

function speakingHint(example) {
  const [columns, values] = example.speaking === 1
    ? ["The first column speaks", "its value is"]
    : [`The first ${example.speaking} columns speak`, "their values are"];
  const labels = [example.suggested, example.label].map((name) => own(shortened(name, longText)));
  return [`${columns} against the label: ${values} at least twice as frequent in ${rowWord}s labelled `, labels[0], " as in those labelled ", labels[1], ". "];
}

function similarItem(near) {
  const label = own(shortened(near.label, longText));
  return element("li", {}, rowLink(near), ": ", label, " ", element("small", {}, near.distance.toPrecision(2)));
}

function reasonsPart(example) {
  const names = [example.label, example.suggested].some(isLong)
    ? [element("p", {}, `${data.words.label}: `, own(example.label)), element("p", {}, `${data.words.suggested}: `, own(example.suggested))]
    : [];
  const sentences = example.reasons.map((reason) => element("li", {}, reasonText(reason)));
  return element("div", {}, element("h4", {}, "Why"), element("ul", {}, ...sentences), ...names);
}

// Who voted what: of each label how many, and those who are right most often, with how often that is.
function ballot({ label, total, by }) {
  const voters = by.map(([worker, accuracy]) =>
    element("span", { class: "voter" }, own(worker), element("small", {}, percent(accuracy))));
  const more = total - by.length;
  return element("li", {}, element("strong", {}, own(label)), ` ${plural(total, "vote")}: `, ...voters,
    more ? (by.length ? `and ${count(more)} more` : "") : null);
}

function ballotsPart(example) {
  if (!example.votes.length) return null;
  return element("div", {}, element("h4", {}, "Votes, and how often each annotator is right"),
    element("ul", { class: "ballots" }, ...example.votes.map(ballot)));
}

function similarPart(example) {
  const made = element("div", {});
  if (example.similar.length) {
    made.append(element("h4", {}, `The nearest ${rowWord}s, ${data.words.nearest}`));
    made.append(element("ul", { class: "similar" }, ...example.similar.map(similarItem)));
  }
  if (data.map && data.map.row.includes(example.row)) made.append(button("Show on the map", () => showOnMap(example.row)));
  return made;
}

function detailRow(example) {
  const rows = shownRows(example);
  const inside = element("div", { class: "opened-part" },
    element("div", { class: "reasons-part" }, reasonsPart(example), similarPart(example)),
    ballotsPart(example), pictures(rows));
  if (example.values.length) {
    inside.append(element("h4", {}, "Values"), ...[valueHint(example, rows)].filter(Boolean), ...valueTable(example, rows));
  }
  const line = element("tr", { class: "detail" });
  line.append(element("td", { colspan: tableColumns.length }, inside));
  return line;
}
