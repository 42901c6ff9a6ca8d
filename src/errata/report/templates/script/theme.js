// Light or dark: the system's wish until the reader chooses; the choice is kept where that is allowed.
const themeKey = "errata-theme";
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function chosenTheme() {
  try {
    const kept = localStorage.getItem(themeKey);
    return kept === "dark" || kept === "light" ? kept : null;
  } catch {
    return null; // storage may be forbidden for pages opened from disk
  }
}

function keepTheme(theme) {
  try {
    localStorage.setItem(themeKey, theme);
  } catch {
    // then the choice lasts as long as the page
  }
}

function startTheme(redraw) {
  const root = document.documentElement;
  const toggle = byId("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const show = () => {
    const other = isDark() ? "light" : "dark";
    byId("theme-name").textContent = other === "dark" ? "Dark" : "Light";
    toggle.setAttribute("aria-label", `Switch to ${other} colours`);
    redraw();
  };
  const kept = chosenTheme();
  if (kept) root.dataset.theme = kept;
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keepTheme(root.dataset.theme);
    show();
  });
  systemDark.addEventListener("change", show);
  show();
}
