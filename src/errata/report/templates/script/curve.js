// The self-check: one place on the curve, chosen by pointer, finger or keyboard, read out in a sentence.
function startCurve() {
  const slider = byId("curve-rank");
  if (!data.curve || !slider) return;
  const { rank } = data.curve;
  const last = rank[rank.length - 1];
  const plot = byId("curve-plot");

  const show = (place) => {
    byId("curve-cross").style.left = `${(100 * rank[place]) / last}%`;
    byId("curve-sentence").textContent = data.at_rank.replace(/{(\w+)}/g, (_, name) =>
      name === "rank" ? count(rank[place]) : percent(data.curve[name][place]),
    );
  };
  const nearest = (wanted) => {
    let best = 0;
    rank.forEach((value, place) => {
      if (Math.abs(value - wanted) < Math.abs(rank[best] - wanted)) best = place;
    });
    return best;
  };

  slider.hidden = false;
  slider.addEventListener("input", () => show(nearest(Number(slider.value))));
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const place = nearest(((event.clientX - box.left) / box.width) * last);
    slider.value = rank[place];
    show(place);
  });
}
