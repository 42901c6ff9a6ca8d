// The examples as objects, and which of them the reader wants to see, in which order.
// The order of the fields is that of _packed() in _packing.py; a text that repeats is a number there.
const whole = (texts) => texts.map((text) => (typeof text === "number" ? data.texts[text] : text));

function unpack([row, id, label, suggested, chance, flagged, reasons, similar, columns, speaking, held, compared, votes = []], place) {
  return {
    row, id, chance, place, speaking,
    flagged: Boolean(flagged),
    label: data.names[label],
    suggested: data.names[suggested],
    reasons: whole(reasons),
    similar: similar.map(([near, code, distance]) => ({ row: near, label: data.names[code], distance })),
    columns: columns.map((code) => data.columns[code]),
    ...unpackHeld(held),
    votes: votes.map(([code, total, by]) => ({ label: data.names[code], total, by })),
    compared: compared.map(([near, code, differs, beside]) => (
      { row: near, label: data.names[code], differs: new Set(differs), ...unpackHeld(beside) }
    )),
  };
}

// What a row holds: its cells, and last its picture.
function unpackHeld(packed) {
  const held = whole(packed);
  return { values: held.slice(0, -1), image: held[held.length - 1] };
}

const examples = data.examples.map(unpack);
const exampleRows = new Set(examples.map((example) => example.row));
const isExample = (row) => exampleRows.has(row);

const wanted = { text: "", label: "", suggested: "", flagged: false, key: "chance", down: true };

const voters = (example) => example.votes.flatMap(({ by }) => by.map(([worker]) => worker));

function haystack(example) {
  if (example.words === undefined) {
    const values = example.values.map((value, i) => `${example.columns[i]} ${value}`);
    example.words = [example.row, example.id ?? "", example.label, example.suggested, ...example.reasons, ...values, ...voters(example)]
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
