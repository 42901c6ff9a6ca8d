// Names that do not fit are cut; those can be reached by keyboard, and then show themselves whole.
function startCuts() {
  for (const name of document.querySelectorAll(".cut, .clamp")) {
    const isCut = name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 1;
    if (isCut && !name.closest("button")) name.tabIndex = 0;
    else name.removeAttribute("tabindex");
  }
}
