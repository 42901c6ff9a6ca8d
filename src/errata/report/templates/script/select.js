// The suspects as objects, and which of them the reader wants to see, in which order.
// The order of the fields is that of _suspect() in _payload.py.
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

const suspects = data.suspects.map(unpack);
const suspectRows = new Set(suspects.map((suspect) => suspect.row));
const isSuspect = (row) => suspectRows.has(row);

const wanted = { text: "", label: "", suggested: "", flagged: false, key: "chance", down: true };

function haystack(suspect) {
  if (suspect.words === undefined) {
    const values = suspect.values.map(([name, value]) => `${name} ${value}`);
    suspect.words = [suspect.row, suspect.id ?? "", suspect.label, suspect.suggested, ...suspect.reasons, ...values]
      .join("\n").toLowerCase();
  }
  return suspect.words;
}

function matches(suspect) {
  return (
    (!wanted.flagged || suspect.flagged) &&
    (!wanted.label || suspect.label === wanted.label) &&
    (!wanted.suggested || suspect.suggested === wanted.suggested) &&
    (!wanted.text || haystack(suspect).includes(wanted.text))
  );
}

// Numbers by size, also inside names: "P-9" comes before "P-10".
const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  const [x, y] = [a[wanted.key] ?? "", b[wanted.key] ?? ""];
  const order = typeof x === "number" && typeof y === "number" ? x - y : collator.compare(String(x), String(y));
  return (wanted.down ? -order : order) || a.place - b.place;
}

const selected = () => suspects.filter(matches).sort(compare);
