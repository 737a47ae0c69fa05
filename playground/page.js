// Shows what the program says about the text. The program decides everything; this page passes it the text and the choices.

const PAUSE = 250;

const element = (id) => document.getElementById(id);
const [text, pack, release, channel, from] = ["text", "pack", "release", "channel", "from"].map(element);
const [stash, allow, status, results] = ["stash", "allow", "status", "results"].map(element);

/** Makes an element with a class, and with children that are elements or texts. */
const make = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null));
  return made;
};

let contents = { packs: [], examples: [], version: "" };

// The program.

/** The program in its worker; the worker's own script is inline, so that this page's policy holds for what it loads. */
const startWorker = () => {
  const script = `import ${JSON.stringify(new URL("worker.js", import.meta.url).href)};`;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module" });
  worker.onmessage = receive;
  worker.onerror = () => showStatus("failed", "The program could not be loaded.");
  return worker;
};

let worker = null;
let isReady = false;
/** The number of the last question, and whether its answer is awaited. */
let asked = 0;
let isBusy = false;
/** Whether something has changed since the last question. */
let isStale = false;

const receive = ({ data }) => {
  if (data.unusable) {
    showStatus("failed", `The program could not be loaded: ${data.unusable}`);
  } else if (data.contents) {
    isReady = true;
    if (!contents.version) {
      contents = data.contents;
      showContents();
      readLink();
      ask();
    } else if (isStale) {
      ask();
    }
  } else if (data.failure) {
    // A program that failed is not in a state to go on.
    worker.terminate();
    isReady = isBusy = false;
    worker = startWorker();
    isStale = false;
    results.setAttribute("aria-busy", "false");
    clearResults();
    showStatus("failed", `The program failed, which is a mistake in it: ${data.failure}`);
  } else {
    isBusy = false;
    if (isStale || data.number !== asked) ask();
    else show(data.answer);
  }
};

/** Asks the program about the text, now or as soon as it has answered. */
const ask = () => {
  clearTimeout(pause);
  isStale = true;
  if (!isReady || isBusy) return;
  [isStale, isBusy] = [false, true];
  asked += 1;
  results.setAttribute("aria-busy", "true");
  worker.postMessage({ number: asked, text: text.value, options: options() });
};

let pause = 0;
const askSoon = () => {
  clearTimeout(pause);
  pause = setTimeout(ask, PAUSE);
};

const target = () => {
  if (!pack.value) return null;
  return { pack: pack.value, release: release.value, channel: channel.value || null, from: from.value || null };
};

const options = () => ({ target: target(), allowLosses: allow.checked, stash: stash.checked });

// The choices.

const setOptions = (list, choices) => {
  const before = list.value;
  list.replaceChildren(...choices.map(([value, label]) => new Option(label, value)));
  if (choices.some(([value]) => value === before)) list.value = before;
};

const chosenPack = () => contents.packs.find((one) => one.name === pack.value);

const showReleases = () => {
  const releases = chosenPack()?.releases ?? [];
  const names = releases.map((one) => [one.name, one.label]);
  setOptions(release, names);
  release.value = chosenPack()?.newest ?? "";
  setOptions(from, [["", "Not known"], ...names]);
  from.value = "";
  for (const choice of document.querySelectorAll("[data-of=pack]")) choice.hidden = !pack.value;
  showChannels();
};

const showChannels = () => {
  const channels = chosenPack()?.releases.find((one) => one.name === release.value)?.channels ?? [];
  setOptions(channel, channels.map((name) => [name, name]));
  document.querySelector("[data-of=channel]").hidden = channels.length === 0;
};

const showContents = () => {
  pack.append(...contents.packs.map((one) => new Option(one.title, one.name)));
  element("example").append(...contents.examples.map((one, at) => new Option(one.name, at)));
  pack.disabled = element("example").disabled = false;
  element("version").textContent = contents.version;
};

const choose = (wanted) => {
  pack.value = contents.packs.some((one) => one.name === wanted?.pack) ? wanted.pack : "";
  showReleases();
  // A link can name what this version of the program does not have.
  if (wanted?.release) {
    release.value = wanted.release;
    if (release.selectedIndex < 0) release.selectedIndex = 0;
  }
  showChannels();
  if (wanted?.channel) {
    channel.value = wanted.channel;
    if (channel.selectedIndex < 0) channel.selectedIndex = 0;
  }
  from.value = wanted?.from ?? "";
  if (from.selectedIndex < 0) from.value = "";
};

// What is shown.

const showStatus = (state, sentence) => {
  status.className = `status ${state}`;
  status.textContent = sentence;
};

const clearResults = () => {
  for (const section of results.querySelectorAll("section, #notes")) section.hidden = true;
};

const STATES = {
  empty: "Paste manifests, or choose an example.",
  unchanged: "Nothing to change.",
  changed: "Converted.",
  "held-back": "Held back: some objects stay as they are.",
  failed: "Not converted.",
  nothing: "",
};

const show = (answer) => {
  results.setAttribute("aria-busy", "false");
  clearResults();
  const to = answer.targets.length > 0 && answer.state !== "nothing" ? ` Target: ${answer.targets.join(", ")}.` : "";
  showStatus(answer.state, `${STATES[answer.state]}${to}`);
  if (answer.summary) status.append(make("span", "summary", answer.summary));
  showList("notes", "notes", answer.notes.map((note) => make("li", "", note)));
  showDiff(answer);
  const findings = [...answer.findings.map(finding), ...answer.advisories.map(advisory)];
  showList("findings", "findings-list", findings);
  showList("objects", "objects-list", answer.objects.map(object));
  element("converted").hidden = !["changed", "held-back", "unchanged"].includes(answer.state);
  element("converted-text").textContent = answer.converted;
  element("copied").textContent = "";
  element("command").hidden = answer.command === null || answer.state === "nothing";
  element("command-text").textContent = answer.command ?? "";
};

const showList = (section, list, items) => {
  element(section).hidden = items.length === 0;
  element(list).replaceChildren(...items);
};

const showDiff = (answer) => {
  const names = { added: "ins", removed: "del" };
  const lines = answer.diff.map(({ kind, text }) => make(names[kind] ?? "div", `line ${kind}`, text));
  if (answer.withoutDiff) lines.push(make("div", "line note", answer.withoutDiff));
  showList("diff", "diff-lines", lines);
};

/** Makes what leads to a line of the text. */
const placeButton = (place) => {
  if (!place) return null;
  const button = make("button", "place", `line ${place.line}`);
  button.type = "button";
  button.addEventListener("click", () => selectLine(place.line));
  return button;
};

const selectLine = (line) => {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  text.scrollTop = (line - 4) * Number.parseFloat(getComputedStyle(text).lineHeight);
  text.scrollLeft = 0;
};

/** Makes a help: a sentence, and behind it what to write. */
const helpText = (help) => {
  if (!help) return null;
  const [sentence, ...snippet] = help.split("\n");
  const shown = make("div", "", make("p", "", make("strong", "", "Help: "), sentence));
  if (snippet.length > 0) shown.append(make("pre", "snippet", snippet.join("\n")));
  return shown;
};

const finding = (one) => {
  const code = make("code", "", one.code);
  code.title = one.description;
  return make(
    "li",
    `card ${one.severity}`,
    make("p", "head", make("span", "tag", one.severity), code, one.object && make("strong", "", one.object), placeButton(one.place)),
    make("p", "", one.message),
    helpText(one.help),
  );
};

const advisory = (one) =>
  make(
    "li",
    `card ${one.severity}`,
    make("p", "head", make("span", "tag", one.severity), make("strong", "", `About the ${one.about}`)),
    make("p", "", one.message),
    helpText(one.help),
  );

const object = (one) => {
  const outcome = one.change && make("span", "tag", one.change.words);
  const title = make("strong", "", one.title);
  const to = one.change?.to ? ` → ${one.change.to}` : "";
  const item = make(
    "li",
    `card ${one.change?.outcome ?? "none"}`,
    make("p", "head", outcome, title, placeButton(one.place)),
    make("p", "versions", make("code", "", `${one.apiVersion}${to}`)),
  );
  if (one.releases) {
    item.append(make("p", "", `Releases of ${one.project} with its fields: `, make("strong", "", one.releases)));
  }
  if (one.serving) item.append(make("p", "", "Of these, with its apiVersion too: ", make("strong", "", one.serving)));
  const lines = one.evidence.map((fact) =>
    make("li", "", make("code", "", fact.field), ` is in ${fact.releases} `, placeButton(fact.place)),
  );
  if (lines.length > 0) item.append(make("ul", "evidence", ...lines));
  if (one.change?.rules.length > 0) {
    const rules = one.change.rules.map((rule) => make("li", "", make("code", "", rule)));
    item.append(make("p", "", "Rules:"), make("ul", "evidence", ...rules));
  }
  return item;
};

// Copying and links.

const copy = async (value, reply, words) => {
  try {
    await navigator.clipboard.writeText(value);
    reply.textContent = words;
  } catch {
    reply.textContent = "The browser does not allow copying.";
  }
};

const share = async () => {
  const link = new URLSearchParams({ text: text.value });
  for (const [name, value] of Object.entries(target() ?? {})) if (value) link.set(name, value);
  if (stash.checked) link.set("stash", "1");
  if (allow.checked) link.set("allow", "1");
  history.replaceState(null, "", `#${link}`);
  await copy(location.href, element("shared"), "Copied; it is the address of this page now.");
};

const readLink = () => {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.has("text")) return;
  text.value = link.get("text");
  choose(Object.fromEntries(link));
  stash.checked = link.has("stash");
  allow.checked = link.has("allow");
};

// What a person does.

text.addEventListener("input", () => {
  element("example").value = "";
  element("shared").textContent = "";
  askSoon();
});
pack.addEventListener("change", () => (showReleases(), ask()));
release.addEventListener("change", () => (showChannels(), ask()));
for (const choice of [channel, from, stash, allow]) choice.addEventListener("change", ask);
element("example").addEventListener("change", ({ target: { value } }) => {
  const example = contents.examples[value];
  if (!example) return;
  text.value = example.text;
  choose(example.target);
  [stash.checked, allow.checked] = [false, false];
  ask();
});
element("share").addEventListener("click", share);
element("copy").addEventListener("click", () => copy(element("converted-text").textContent, element("copied"), "Copied."));
element("input").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", () => (readLink(), ask()));

worker = startWorker();
