// The examples as objects, and which of them the reader wants to see, in which order.
// The order of the fields is that of _packed() in _payload.py.
function unpack([row, id, label, suggested, chance, flagged, reasons, similar, columns, values, image], place) {
  return {
    row, id, chance, reasons, image, place,
    flagged: Boolean(flagged),
    label: data.names[label],
    suggested: data.names[suggested],
    similar: similar.map(([near, code]) => ({ row: near, label: data.names[code] })),
    values: data.columns[columns].map((name, i) => [name, values[i]]),
  };
}

const examples = data.examples.map(unpack);
const exampleRows = new Set(examples.map((example) => example.row));
const isExample = (row) => exampleRows.has(row);

const wanted = { text: "", label: "", suggested: "", flagged: false, key: "chance", down: true };

function haystack(example) {
  if (example.words === undefined) {
    const values = example.values.map(([name, value]) => `${name} ${value}`);
    example.words = [example.row, example.id ?? "", example.label, example.suggested, ...example.reasons, ...values]
      .join("\n").toLowerCase();
  }
  return example.words;
}

function matches(example) {
  return (
    (!wanted.flagged || example.flagged) &&
    (!wanted.label || example.label === wanted.label) &&
    (!wanted.suggested || example.suggested === wanted.suggested) &&
    (!wanted.text || haystack(example).includes(wanted.text))
  );
}

// Numbers by size, also inside names: "P-9" comes before "P-10".
const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  const [x, y] = [a[wanted.key] ?? "", b[wanted.key] ?? ""];
  const order = typeof x === "number" && typeof y === "number" ? x - y : collator.compare(String(x), String(y));
  return (wanted.down ? -order : order) || a.place - b.place;
}

const selected = () => examples.filter(matches).sort(compare);
