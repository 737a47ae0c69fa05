"use strict";
// The filters. What there is to filter is in the page's elements; the page is complete without this script.
(() => {
  const form = document.getElementById("filters");
  const files = Array.from(document.querySelectorAll(".file"), (element) => ({
    element,
    name: element.dataset.file.toLowerCase(),
    entries: Array.from(element.querySelectorAll(".entry"), (entry) => ({ element: entry, text: null })),
  }));
  const total = files.reduce((sum, file) => sum + file.entries.length, 0);
  const tiles = Array.from(document.querySelectorAll("a.count"));
  const folded = Array.from(document.querySelectorAll(".idle"));

  // An attribute holds one value, or several with spaces between them; the name of a kind has none.
  const has = (element, name, value) => (element.dataset[name] ?? "").split(" ").includes(value);

  const matches = (file, entry, wanted, text) => {
    if (!wanted.every(([name, value]) => has(entry.element, name, value))) return false;
    if (text === "" || file.name.includes(text)) return true;
    entry.text ??= entry.element.textContent.toLowerCase();
    return entry.text.includes(text);
  };

  const number = (count) => count.toLocaleString("en");

  const filter = () => {
    const values = Array.from(new FormData(form));
    const text = form.elements.text.value.trim().toLowerCase();
    const wanted = values.filter(([name, value]) => name !== "text" && value !== "");
    let shown = 0;
    for (const file of files) {
      let count = 0;
      for (const entry of file.entries) {
        const matching = matches(file, entry, wanted, text);
        entry.element.hidden = !matching;
        count += matching;
      }
      file.element.hidden = count === 0;
      shown += count;
    }
    const isFiltered = wanted.length > 0 || text !== "";
    for (const group of folded) {
      group.hidden = !group.querySelector(".file:not([hidden])");
      group.open = isFiltered;
    }
    document.getElementById("none").hidden = shown > 0;
    const entries = `${number(total)} ${total === 1 ? "entry" : "entries"}`;
    document.getElementById("shown").textContent = isFiltered ? `${number(shown)} of ${entries}` : entries;
    const outcome = wanted.find(([name]) => name === "outcome")?.[1];
    for (const tile of tiles) {
      if (tile.dataset.outcome === outcome) tile.setAttribute("aria-current", "true");
      else tile.removeAttribute("aria-current");
    }
  };

  const reset = () => {
    for (const field of form.querySelectorAll("input, select")) field.value = "";
    filter();
  };

  // What a link leads to may be filtered out, or folded.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) reset();
    let folded = target.parentElement?.closest("details:not([open])");
    while (folded) {
      folded.open = true;
      folded = folded.parentElement?.closest("details:not([open])");
    }
    target.scrollIntoView();
  };

  const fold = (open) => {
    for (const diff of document.querySelectorAll(".diff")) diff.open = open;
  };

  const printing = [];
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("main details:not([open])")) {
      folded.open = true;
      printing.push(folded);
    }
  });
  addEventListener("afterprint", () => {
    for (const folded of printing.splice(0)) folded.open = false;
  });
  addEventListener("hashchange", reveal);

  if (!form) return;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    reset();
  });
  document.getElementById("unfold").addEventListener("click", () => fold(true));
  document.getElementById("fold").addEventListener("click", () => fold(false));
  for (const tile of tiles) {
    tile.addEventListener("click", () => {
      form.elements.outcome.value = tile.dataset.outcome;
      filter();
    });
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName);
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      form.elements.text.focus();
    } else if (event.key === "Escape" && document.activeElement === form.elements.text) {
      reset();
    }
  });
  form.hidden = false;
  filter();
  if (location.hash) reveal();
})();
