// The map: dots on a canvas, flagged rows ringed, rows beyond its border as triangles that point there.
const mapState = { places: [], picked: null, shown: null };
const gray = 9;

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

function circle(pen, [x, y], radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}

function triangle(pen, [x, y], radius, [right, up]) {
  const angle = Math.atan2(-up, right);
  const corner = (turn, reach) => [x + reach * Math.cos(angle + turn), y + reach * Math.sin(angle + turn)];
  pen.beginPath();
  pen.moveTo(...corner(0, 2.4 * radius));
  pen.lineTo(...corner(2.2, 2 * radius));
  pen.lineTo(...corner(-2.2, 2 * radius));
  pen.closePath();
}

function shape(pen, i, radius) {
  const way = data.map.outside[i];
  if (way) triangle(pen, mapState.places[i], radius, way);
  else circle(pen, mapState.places[i], radius);
}

// The picked label, and the flagged rows that look like it, stand out; without a choice all do.
function isFaded(i) {
  const { label, suggested, flagged } = data.map;
  const { picked } = mapState;
  return picked !== null && label[i] !== picked && !(flagged[i] && suggested[i] === picked);
}

// More classes than colours would make a motley: then colours are for flagged rows and the picked label.
function fillOf(i, colours) {
  const label = data.map.label[i];
  const own = data.colours[label];
  if (data.are_many && label === mapState.picked) return own === gray ? colours.ink : colours.classes[own];
  return colours.classes[data.are_many && !data.map.flagged[i] ? gray : own];
}

function ringOf(i, colours) {
  const looksLike = data.colours[data.map.suggested[i]];
  return data.are_many && looksLike !== gray ? colours.classes[looksLike] : colours.ink;
}

function drawPoint(pen, i, colours, radius) {
  const plain = data.are_many && data.map.label[i] !== mapState.picked ? 0.35 : 0.7;
  pen.globalAlpha = isFaded(i) ? 0.08 : data.map.flagged[i] ? 1 : plain;
  pen.fillStyle = fillOf(i, colours);
  shape(pen, i, radius);
  pen.fill();
  if (!data.map.flagged[i]) return;
  pen.strokeStyle = ringOf(i, colours);
  pen.lineWidth = 1.5;
  shape(pen, i, radius + 2.5);
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
  const onTop = (i) => data.map.flagged[i] - 2 * isFaded(i);
  const order = [...data.map.flagged.keys()].sort((a, b) => onTop(a) - onTop(b));
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
  const { row, label, suggested, p_wrong: chance, outside } = data.map;
  const lines = [`${rowTitle} ${nameOf(row[i])}`, `label: ${data.names[label[i]]}`];
  if (suggested[i] !== label[i]) lines.push(`looks like: ${data.names[suggested[i]]}`);
  if (data.has_skill) lines.push(`${percent(chance[i])} likely wrong`);
  if (outside[i]) lines.push(`outside the map, at (${outside[i][2]}, ${outside[i][3]})`);
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
  startLegend();
}
