// The page works without this script. With it a key presses the button that carries its name, a form is
// sent without leaving the page, and a decision that could not be saved is sent again until it is.
"use strict";

const pause = 2000; // milliseconds before a decision is sent again
let busy = false;

const stage = () => document.getElementById("stage");

function say(text, isFailure = false) {
  const line = document.getElementById("said");
  if (!line) return;
  line.textContent = text;
  line.classList.toggle("failed", isFailure);
}

function setBusy(value) {
  busy = value;
  document.documentElement.classList.toggle("busy", value);
  stage()?.setAttribute("aria-busy", String(value));
}

// What the browser calls the key, in the words of data-keys: a letter is a letter on every keyboard, and
// a digit is a digit also where the row of digits needs Shift (AZERTY).
function keyName(event) {
  const digit = /^Digit(\d)$/.exec(event.code);
  if (!/^\d$/.test(event.key) && digit && !event.shiftKey && !event.ctrlKey) return digit[1];
  const key = event.key === " " ? "Space" : event.key;
  const isLetter = /^\p{L}$/u.test(key);
  const shift = event.shiftKey && (isLetter || key.length > 1) ? "Shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift}${isLetter ? key.toLowerCase() : key}`;
}

const carriers = (name) => [...document.querySelectorAll("[data-keys]")].filter((each) => each.dataset.keys.split(" ").includes(name));

const isVisible = (each) => each.getClientRects().length > 0;

const isField = (each) => each.matches("input:not([type=hidden], [type=checkbox]), textarea, select, [contenteditable]");

function onField(event) {
  if (event.key === "Escape") document.getElementById("card")?.focus();
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.target.closest("details")?.querySelector("[data-save]")?.click();
}

function onKey(event) {
  if (isField(event.target)) return onField(event);
  if (event.key === "Escape") return closeOpened();
  const name = keyName(event);
  // Enter and Space belong to a button or link that was reached with Tab, Space to a box to tick.
  const own = event.target.matches("[type=checkbox]") ? /^Space$/ : /^(Enter|Space)$/;
  const ownsKey = event.target.matches("button, a, summary, [type=checkbox]") && own.test(name);
  if (event.altKey || event.repeat || ownsKey) return;
  const found = carriers(name).findLast(isVisible); // Enter saves labels that were changed, and accepts nothing
  if (!found) return;
  event.preventDefault();
  if (!busy) press(found);
}

function press(found) {
  if (isField(found)) return found.focus();
  found.click();
  const fold = found.closest("details");
  if (!found.matches("summary") || !fold?.open) return;
  const field = fold.querySelector("input:not([type=hidden]), textarea, select");
  if (field) field.focus();
  else fold.scrollIntoView({ block: "nearest" });
}

function closeOpened() {
  document.querySelector("#help[open], #bulk[open], #filter[open]")?.removeAttribute("open");
  document.querySelector(".zoomed")?.classList.remove("zoomed");
}

// A form with the button that sent it, as the browser would send it.
function packed(form, button) {
  const body = new URLSearchParams(new FormData(form));
  if (button?.name) body.append(button.name, button.value);
  return body;
}

function onSubmit(event) {
  const form = event.target;
  if (!form.matches("[data-send]")) return;
  event.preventDefault();
  if (busy) return;
  const button = event.submitter;
  const address = button?.hasAttribute("formaction") ? button.formAction : form.action;
  setBusy(true);
  send(address, packed(form, button));
}

async function send(address, body) {
  try {
    const answer = await fetch(address, { method: "POST", body, headers: { "errata-part": "stage" } });
    const text = await answer.text();
    if (answer.ok) return show(text);
    // Refused for good: the same request would be refused again.
    if (answer.status < 500 && answer.status !== 403) return giveUp(text);
    again(text, address, body);
  } catch {
    again("the server does not answer; is errata review still running?", address, body);
  }
}

function giveUp(text) {
  say(`not saved: ${text}`, true);
  setBusy(false);
}

// The request carries its key, so that the server counts it once however often it arrives.
function again(text, address, body) {
  say(`not saved: ${text} Trying again …`, true);
  setTimeout(() => send(address, body), pause);
}

function show(text) {
  const evidence = stage().querySelector(".evidence")?.open;
  const made = new DOMParser().parseFromString(text, "text/html").getElementById("stage");
  const said = made.querySelector("#said");
  const words = said.textContent;
  said.textContent = ""; // filled once it is in the page, so that it is read out
  stage().replaceWith(made);
  for (const count of made.querySelectorAll("#queue-counts li")) {
    const tab = document.querySelector(`nav [data-queue="${count.dataset.of}"]`);
    tab.querySelector("small").textContent = count.textContent;
    tab.hidden = count.hidden;
  }
  document.querySelector(".who small").textContent = made.querySelector("#tested").textContent;
  if (evidence === false) made.querySelector(".evidence")?.removeAttribute("open");
  say(words);
  history.replaceState(null, "", made.dataset.address);
  setBusy(false);
  settle();
}

// The card has the focus, so that the keyboard and screen readers begin there.
function settle() {
  document.getElementById("card")?.focus({ preventScroll: true });
  if (window.scrollY > 0) window.scrollTo({ top: 0, behavior: "instant" });
}

// Labels that were set or taken away are to be saved.
function onChange(event) {
  const boxes = [...document.querySelectorAll(".labels [type=checkbox]")];
  if (!boxes.includes(event.target)) return;
  document.getElementById("card").classList.toggle("changed", boxes.some((box) => box.checked !== box.defaultChecked));
}

function onClick(event) {
  const zoom = event.target.closest("[data-zoom]");
  if (!zoom) return;
  event.preventDefault();
  zoom.classList.toggle("zoomed");
}

// Light or dark: the system's wish until the reader chooses; the report keeps its choice in the same way.
function startTheme() {
  const root = document.documentElement;
  const toggle = document.getElementById("theme");
  const kept = localStorage.getItem("errata-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  if (!toggle) return;
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("errata-theme", root.dataset.theme);
  });
}

document.documentElement.classList.add("js");
document.addEventListener("keydown", onKey);
document.addEventListener("submit", onSubmit);
document.addEventListener("click", onClick);
document.addEventListener("change", onChange);
startTheme();
if (stage()) document.getElementById("card")?.focus({ preventScroll: true });
document.documentElement.dataset.ready = "yes"; // tests look for it: the script ran to its end
