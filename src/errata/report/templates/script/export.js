// The chosen examples, taken elsewhere: row numbers to the clipboard, the list as a file.

// A spreadsheet would run a text that starts like a formula, so such texts get an apostrophe; numbers, and signs alone, do not.
function csvCell(value) {
  let text = visible(String(value ?? ""));
  if (/^[=+\-@\t\r\n]/.test(text) && Number.isNaN(Number(text)) && !/^[+-]$/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function toCsv(chosen) {
  const lines = chosen.map((s) => [s.row, s.id, s.label, s.suggested, s.chance, s.flagged, s.reasons.join(" ")]);
  const head = ["row", "id", "label", "suggested", "p_wrong", "flagged", "reasons"];
  return [head, ...lines].map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function download(chosen) {
  // The byte order mark tells spreadsheets that this is UTF-8.
  const file = new Blob(["\ufeff", toCsv(chosen)], { type: "text/csv" });
  const name = data.title.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "_") || "examples";
  const link = element("a", { href: URL.createObjectURL(file), download: `${name}-examples.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The clipboard of today is closed to some pages opened from disk; the old way still works there.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = element("textarea", { class: "unseen", readonly: true });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}
