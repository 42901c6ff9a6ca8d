// Stretches: zooming widens the stage within its frame, which the browser scrolls; a mouse may drag it.
const mostZoom = 16;
const closerFrom = 3; // from here on the axis has room for its fine marks

function zoomTo(frame, zoom, at) {
  const stage = frame.firstElementChild;
  const before = frame.scrollLeft + at * frame.clientWidth;
  const place = frame.dataset.zoomed ? before / frame.scrollWidth : Number(stage.dataset.middle);
  const held = frame.dataset.zoomed ? at : 0.5; // the first step brings the stretch into the middle
  stage.style.width = `${100 * zoom}%`;
  stage.classList.toggle("closer", zoom >= closerFrom);
  frame.scrollLeft = place * frame.scrollWidth - held * frame.clientWidth;
  if (zoom > 1) frame.dataset.zoomed = zoom;
  else delete frame.dataset.zoomed;
}

function zoomBy(frame, factor, at = 0.5) {
  const zoom = Number(frame.dataset.zoomed || 1) * factor;
  zoomTo(frame, Math.min(Math.max(zoom, 1), mostZoom), at);
}

// A finger scrolls by itself.
function startDragging(frame) {
  let from = null;
  const stop = () => {
    from = null;
    frame.classList.remove("held");
  };
  frame.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = event.clientX + frame.scrollLeft;
    frame.setPointerCapture(event.pointerId);
    frame.classList.add("held");
  });
  frame.addEventListener("pointermove", (event) => {
    if (from !== null) frame.scrollLeft = from - event.clientX;
  });
  frame.addEventListener("pointerup", stop);
  frame.addEventListener("pointercancel", stop);
}

function startStretch(stretch) {
  const frame = stretch.querySelector(".trace-scroll");
  for (const zoom of stretch.querySelectorAll("[data-zoom]")) {
    zoom.addEventListener("click", () => zoomBy(frame, Number(zoom.dataset.zoom)));
  }
  frame.addEventListener("keydown", (event) => {
    const factor = { "+": 2, "=": 2, "-": 0.5, 0: 0 }[event.key];
    if (factor === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    zoomBy(frame, factor);
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the plain wheel scrolls the page
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoomBy(frame, event.deltaY < 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
  }, { passive: false });
  startDragging(frame);
}

function startStretches() {
  for (const stretch of document.querySelectorAll(".stretch")) startStretch(stretch);
}
