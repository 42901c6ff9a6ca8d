// Start the parts; on paper, show the first 50 examples and a map in light colours.
function startPrinting() {
  const root = document.documentElement;
  let theme;
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light"; // the canvas keeps the colours it was drawn with
    if (examples.length) fillBody(examples.slice(0, 50));
    drawMap();
  });
  window.addEventListener("afterprint", () => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    if (examples.length) showPage();
    drawMap();
  });
}

document.documentElement.classList.add("js");
startExamples();
startClasses();
startStretches();
startMap(openExample);
startCurve();
startTips();
startCuts();
window.addEventListener("resize", startCuts);
startTheme(drawMap);
startPrinting();
document.documentElement.dataset.ready = "yes"; // tests look for it: the script ran to its end
