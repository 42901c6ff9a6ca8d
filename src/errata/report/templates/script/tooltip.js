// One tooltip for the whole page, kept inside the window.
function showTip(text, x, y) {
  const tip = byId("tooltip");
  tip.textContent = visible(text);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const right = x + 14 + width > window.innerWidth - 8 ? x - width - 14 : x + 14;
  tip.style.left = `${Math.max(8, right)}px`;
  tip.style.top = `${Math.max(8, Math.min(y + 14, window.innerHeight - height - 8))}px`;
}

function hideTip() {
  byId("tooltip").hidden = true;
}

function startTips() {
  for (const marked of document.querySelectorAll("[data-tip]")) {
    marked.addEventListener("pointermove", (event) => showTip(marked.dataset.tip, event.clientX, event.clientY));
    marked.addEventListener("pointerleave", hideTip);
  }
  window.addEventListener("scroll", hideTip, { passive: true });
}
