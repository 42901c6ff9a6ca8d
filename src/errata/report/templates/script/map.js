// The map: dots on a canvas, flagged rows ringed.
const mapState = { places: [], only: null, shown: null };

function mapColours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), accent: of("--accent"), classes: Array.from({ length: 10 }, (_, i) => of(`--c${i}`)) };
}

// Places in pixels, with a margin so that no ring is cut.
function placePoints(width, height) {
  const margin = 16;
  mapState.places = data.map.x.map((x, i) => [
    margin + (x / 10000) * (width - 2 * margin),
    height - margin - (data.map.y[i] / 10000) * (height - 2 * margin),
  ]);
}

function circle(pen, place, radius) {
  pen.beginPath();
  pen.arc(place[0], place[1], radius, 0, 2 * Math.PI);
}

function drawPoint(pen, i, colours, radius) {
  const colour = data.colours[data.map.label[i]];
  const faded = mapState.only !== null && mapState.only !== colour;
  pen.globalAlpha = faded ? 0.08 : data.map.flagged[i] ? 1 : 0.7;
  pen.fillStyle = colours.classes[colour];
  circle(pen, mapState.places[i], radius);
  pen.fill();
  if (!data.map.flagged[i]) return;
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 1.5;
  circle(pen, mapState.places[i], radius + 2.5);
  pen.stroke();
}

function drawMap() {
  const canvas = byId("map-canvas");
  if (!data.map || !canvas || !canvas.clientWidth) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  placePoints(width, height);
  const colours = mapColours();
  const radius = data.map.x.length > 2000 ? 2.5 : 3.5;
  const order = [...data.map.flagged.keys()].sort((a, b) => data.map.flagged[a] - data.map.flagged[b]);
  for (const i of order) drawPoint(pen, i, colours, radius);
  if (mapState.shown === null) return;
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 3;
  circle(pen, mapState.places[mapState.shown], 13);
  pen.stroke();
}

// The point under the pointer; flagged rows win over their neighbours.
function pointAt(event) {
  const box = byId("map-canvas").getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  let best = null;
  let nearest = 12;
  mapState.places.forEach(([px, py], i) => {
    const distance = Math.hypot(px - x, py - y) - (data.map.flagged[i] ? 3 : 0);
    if (distance < nearest) [best, nearest] = [i, distance];
  });
  return best;
}

function describePoint(i) {
  const { row, label, suggested, p_wrong: chance } = data.map;
  const lines = [`Row ${row[i]}`, `label: ${data.names[label[i]]}`];
  if (suggested[i] !== label[i]) lines.push(`looks like: ${data.names[suggested[i]]}`);
  if (data.has_skill) lines.push(`${percent(chance[i])} likely wrong`);
  return lines.join("\n");
}

function showOnMap(row) {
  mapState.shown = data.map.row.indexOf(row);
  drawMap();
  byId("map").scrollIntoView();
}

function startMap(openExample) {
  const canvas = byId("map-canvas");
  if (!data.map || !canvas) return;
  new ResizeObserver(drawMap).observe(canvas);
  canvas.addEventListener("pointermove", (event) => {
    const i = pointAt(event);
    canvas.style.cursor = i !== null && isExample(data.map.row[i]) ? "pointer" : "default";
    if (i === null) hideTip();
    else showTip(describePoint(i), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const i = pointAt(event);
    if (i !== null && isExample(data.map.row[i])) openExample(data.map.row[i]);
  });
  const keys = [...byId("legend").querySelectorAll("button")];
  for (const key of keys) {
    key.addEventListener("click", () => {
      const colour = Number(key.dataset.colour);
      mapState.only = mapState.only === colour ? null : colour;
      for (const other of keys) other.setAttribute("aria-pressed", String(Number(other.dataset.colour) === mapState.only));
      drawMap();
    });
  }
}
