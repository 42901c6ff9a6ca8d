// The self-check: one place on the curve, chosen by pointer, finger or keyboard, read out in a sentence.
const curveSteps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 };

function startCurve() {
  const slider = byId("curve-rank");
  if (!data.curve || !slider) return;
  const { rank } = data.curve;
  const last = rank[rank.length - 1];
  const plot = byId("curve-plot");

  const nearest = (wanted) => {
    let best = 0;
    rank.forEach((value, place) => {
      if (Math.abs(value - wanted) < Math.abs(rank[best] - wanted)) best = place;
    });
    return best;
  };
  // The thumb goes where the line is, not where the pointer was: there is no point in between.
  const show = (place) => {
    slider.value = rank[place];
    slider.setAttribute("aria-valuetext", plural(rank[place], "row"));
    byId("curve-cross").style.left = `${(100 * rank[place]) / last}%`;
    byId("curve-sentence").textContent = data.at_rank.replace(/{(\w+)}/g, (_, name) =>
      name === "rank" ? count(rank[place]) : percent(data.curve[name][place]),
    );
  };

  slider.hidden = false;
  slider.addEventListener("input", () => show(nearest(Number(slider.value))));
  slider.addEventListener("keydown", (event) => {
    const step = curveSteps[event.key];
    if (!step) return;
    event.preventDefault(); // the browser's own step may be smaller than the way to the next point
    show(Math.min(Math.max(nearest(Number(slider.value)) + step, 0), rank.length - 1));
  });
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    show(nearest(((event.clientX - box.left) / box.width) * last));
  });
}
