// The legend of the map: choose a label, by its colour or by its name, to see where its rows lie.
function describePick(code) {
  const { label, suggested, flagged } = data.map;
  const rows = label.filter((own) => own === code).length;
  const alike = suggested.filter((other, i) => flagged[i] && other === code && label[i] !== code).length;
  const looks = data.has_skill ? `; ${plural(alike, `flagged ${rowWord}`)} labelled otherwise ${alike === 1 ? "looks" : "look"} like it` : "";
  return element("span", {}, "Label ", element("bdi", {}, data.names[code]), `: ${plural(rows, rowWord)} on the map${looks}.`);
}

function pick(code) {
  mapState.picked = code;
  for (const key of byId("legend").querySelectorAll("button")) {
    key.setAttribute("aria-pressed", String(Number(key.dataset.code) === code && code !== null));
  }
  byId("picked").replaceChildren(...(code === null ? [] : [describePick(code)]));
  drawMap();
}

// A whole name while it is typed; when it is entered, the first name that has the text in it.
function startPick(names) {
  const field = byId("pick");
  byId("pick-names").append(...names.map((name) => element("option", { value: name })));
  const folded = names.map((name) => name.toLowerCase());
  const find = (entered) => {
    const text = field.value.trim().toLowerCase();
    const code = folded.indexOf(text) < 0 && entered ? folded.findIndex((name) => name.includes(text)) : folded.indexOf(text);
    pick(text === "" || code < 0 ? null : code);
  };
  field.addEventListener("input", () => find(false));
  field.addEventListener("change", () => find(true));
}

function startLegend() {
  for (const key of byId("legend").querySelectorAll("button")) {
    const code = Number(key.dataset.code);
    key.addEventListener("click", () => pick(mapState.picked === code ? null : code));
  }
  if (byId("pick")) startPick(data.names.slice(0, data.colours.length).map(visible));
}
