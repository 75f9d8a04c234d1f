// What the page does beyond plain HTML: messages at their fields after an update, the spoken status, completion of
// hardware, rows of measurements and what is pasted into them, files that are dropped, copying, and one history entry
// for a burst of typing. It has no words of its own: they stand in the page, in its language.
// The back button replaces the whole body, so nothing here holds on to an element.
(() => {
  "use strict";

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const texts = () => document.getElementById("texts")?.dataset;
  let told = "";

  // Said at once, and again before the answer that comes after it.
  function say(text) {
    told = text;
    const status = document.getElementById("status");
    if (status) status.textContent = text;
  }

  function placeProblems() {
    all("form.question [data-problem-of]").forEach((note) => {
      note.hidden = true;
      note.textContent = "";
      document.getElementById(note.dataset.problemOf)?.removeAttribute("aria-invalid");
    });
    all("#results [data-field]").forEach((item) => {
      const id = item.dataset.field;
      const note =
        document.getElementById(`${id}-problem`) ||
        document.getElementById(`${id.replace(/-\d+$/, "")}-problem`) ||
        document.getElementById(`${id}-0-problem`);
      if (!note) return;
      note.textContent = item.lastChild.textContent.replace(/^: /, "");
      note.hidden = false;
      const field = document.getElementById(note.dataset.problemOf);
      if (field?.matches("input, select")) field.setAttribute("aria-invalid", "true");
      note.closest("details")?.setAttribute("open", "");
    });
    // The table's filters outlive an update, so that the message below says whether they are right.
    all(".filter").forEach((field) => field.setAttribute("aria-invalid", String(document.getElementById(`${field.id}-wrong`)?.hidden === false)));
  }

  // What works only with this script is shown by it.
  function setUp() {
    all("[data-add], [data-remove]").forEach((button) => (button.hidden = false));
    all("[data-pick]").forEach((field) => {
      field.removeAttribute("list");
      Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": "picks" }).forEach((pair) => field.setAttribute(...pair));
      if (!field.hasAttribute("aria-expanded")) field.setAttribute("aria-expanded", "false");
    });
    all("a[data-copy], pre > code").forEach((source) => {
      const place = source.closest("pre") || source;
      if (!texts() || place.nextElementSibling?.matches("[data-copies]")) return;
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: texts().copy });
      button.className = "secondary outline small";
      button.dataset.copies = "";
      if (source === place) button.setAttribute("aria-label", `${texts().copy} ${source.textContent}`);
      place.after(button);
    });
  }

  document.addEventListener("htmx:after:swap", () => {
    setUp();
    document.getElementById("workings")?.scrollIntoView();
    const status = document.getElementById("status");
    if (!status) return;
    placeProblems();
    const said = document.querySelector("#results [data-status]")?.dataset.status;
    status.textContent = [told, said || texts()?.mistake].filter(Boolean).join(" ");
    told = "";
  });

  // Typing in one field without a pause of two seconds is one entry; a button is always one of its own.
  let typedIn = null;
  let last = { control: null, at: 0 };
  document.addEventListener("input", (event) => (typedIn = event.target), true);
  document.addEventListener("submit", () => (typedIn = null), true);
  document.addEventListener("htmx:before:history:update", (event) => {
    const now = Date.now();
    const burst = typedIn && typedIn === last.control && now - last.at < 2000;
    if (burst && event.detail.history) event.detail.history.type = "replace";
    last = { control: typedIn, at: now };
  });

  // Completion: the server's options in a listbox below the field (combobox of WAI-ARIA 1.2).
  let asking = new AbortController();

  function closePicks() {
    asking.abort();
    document.getElementById("picks")?.remove();
    all("[data-pick][aria-expanded=true]").forEach((field) => {
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
    });
  }

  async function showPicks(field) {
    asking.abort();
    const { signal } = (asking = new AbortController());
    await new Promise((done) => setTimeout(done, 100));
    if (signal.aborted) return;
    const table = new FormData(field.form).get("table") || "";
    const query = new URLSearchParams({ form: field.dataset.pick, q: field.value, table });
    const options = await fetch(`/pick?${query}`, { signal }).then((answer) => (answer.ok ? answer.text() : ""), () => "");
    if (signal.aborted) return;
    closePicks();
    if (!options.trim() || document.activeElement !== field) return;
    const list = Object.assign(document.createElement("ul"), { id: "picks", role: "listbox", innerHTML: options });
    list.setAttribute("aria-label", texts()?.hardware || "PerDollar");
    field.after(list);
    field.setAttribute("aria-expanded", "true");
  }

  function choose(field, option) {
    field.value = option.dataset.value;
    closePicks();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  document.addEventListener("input", (event) => event.target.dataset.pick && event.isTrusted && showPicks(event.target));
  document.addEventListener("focusout", closePicks);
  document.addEventListener("mousedown", (event) => event.target.closest("#picks") && event.preventDefault());
  document.addEventListener(
    "keydown",
    (event) => {
      const options = all("#picks [role=option]");
      if (!options.length || !event.target.dataset.pick) return;
      const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        const next = options[(at + step + options.length + (at < 0 && step < 0)) % options.length];
        options[at]?.setAttribute("aria-selected", "false");
        next.setAttribute("aria-selected", "true");
        next.scrollIntoView({ block: "nearest" });
        event.target.setAttribute("aria-activedescendant", next.id);
      } else if (event.key === "Enter" && at >= 0) choose(event.target, options[at]);
      else if (event.key === "Escape") closePicks();
      else return;
      event.preventDefault();
    },
    true,
  );

  // Rows of measurements: their numbers stand in names, ids and labels.
  const rows = () => all("[data-measurement]");

  function number(row, n) {
    const attributes = ["id", "for", "name", "aria-describedby", "data-problem-of"];
    all("*", row).forEach((node) =>
      attributes.filter((name) => node.hasAttribute(name)).forEach((name) => {
        const text = node.getAttribute(name);
        node.setAttribute(name, text.replace(/\bm-\d+/g, `m-${n - 1}`).replace(/\bm\d+\./g, `m${n}.`));
      }),
    );
    row.querySelector("label").textContent = row.dataset.label.replace("{n}", n);
    row.querySelector("[data-remove]").setAttribute("aria-label", row.dataset.removeLabel.replace("{n}", n));
  }

  function clear(nodes) {
    nodes.forEach((node) => (node.matches("select") ? (node.selectedIndex = 0) : (node.value = "")));
  }

  function addRow() {
    const last = rows().at(-1);
    const row = last.cloneNode(true);
    clear(all("input, select", row));
    all("[data-problem-of]", row).forEach((note) => (note.hidden = true));
    all("[aria-invalid]", row).forEach((field) => field.removeAttribute("aria-invalid"));
    row.removeAttribute("data-example");
    number(row, rows().length + 1);
    last.after(row);
    return row;
  }

  function removeRow(row) {
    const at = rows().indexOf(row);
    if (rows().length === 1) addRow();
    row.remove();
    rows().forEach((left, index) => number(left, index + 1));
    rows()[Math.min(at, rows().length - 1)].querySelector("input").focus();
    document.getElementById("question").requestSubmit();
  }

  // A figure of one's own in an example's place is not the one that was published.
  function own(row) {
    row.removeAttribute("data-example");
    clear(all("details input, details select", row));
  }

  document.addEventListener("input", (event) => {
    const row = event.target.name === "m" && event.target.closest("[data-example]");
    if (row) own(row);
  });

  // A line of a spreadsheet in our notation, '' where it holds no hardware and rate. Numbers are left as they are.
  function notation(line) {
    const [hardware, rate, label, spread] = line.split("\t").map((cell) => cell.trim());
    if (hardware.includes("=")) return hardware;
    if (!hardware || !/\d/.test(rate || "")) return "";
    const name = label ? `${label.replaceAll("@", " ")}@` : "";
    return `${name}${hardware}=${rate}${spread ? `~${spread.replace(/^(±|\+\/-)\s*/, "")}` : ""}`;
  }

  // The server takes no more measurements than this at once.
  const MOST_ROWS = 200;

  document.addEventListener("paste", (event) => {
    const field = event.target;
    if (field.name !== "m" || !field.closest("[data-measurement]")) return;
    const text = event.clipboardData.getData("text/plain").trim();
    if (!/[\t\n\r]/.test(text)) return;
    event.preventDefault();
    closePicks();
    const lines = text.split(/[\r\n]+/).filter((line) => line.trim());
    const read = lines.map(notation).slice(0, MOST_ROWS);
    const places = rows().filter((row) => row.contains(field) || row.dataset.example === "" || !row.querySelector("[name=m]").value);
    read.filter(Boolean).forEach((measurement) => {
      const row = places.shift() || addRow();
      own(row);
      row.querySelector("[name=m]").value = measurement;
    });
    const unread = lines.filter((line, index) => !read[index]).map((line) => line.slice(0, 60));
    const { pasted, unread: not } = texts();
    const said = [pasted.replace("{n}", read.filter(Boolean).length)];
    if (unread.length) said.push(not.replace("{lines}", unread.slice(0, 3).join("; ") + (unread.length > 3 ? "; …" : "")));
    say(said.join(" "));
    Object.assign(document.getElementById("pasted"), { hidden: false, textContent: said.join(" ") });
    document.getElementById("question").requestSubmit();
  });

  // What was said of a measurement that is blank now is kept in the form, but not asked.
  document.addEventListener("htmx:config:request", (event) => {
    const asked = event.detail.ctx.request.body;
    rows().forEach((row, index) => {
      if (row.querySelector("[name=m]").value.trim()) return;
      [...asked.keys()].filter((name) => name.startsWith(`m${index + 1}.`)).forEach((name) => asked.delete(name));
    });
  });

  // Benchmark files dropped anywhere on the page are read as if they had been chosen.
  const files = (event) => event.dataTransfer?.types.includes("Files") && document.querySelector("[data-drop]");
  document.addEventListener("dragover", (event) => files(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    const input = files(event);
    if (!input) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.form.requestSubmit();
  });
  // To choose a file is no change of the question around it.
  document.addEventListener("input", (event) => event.target.type === "file" && event.stopPropagation(), true);

  async function copy(button) {
    const source = button.previousElementSibling;
    const text = source.matches("a") ? await fetch(source.href).then((answer) => answer.text()) : source.textContent;
    // Without https the browser has no clipboard for pages, but may copy what is selected.
    const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true, ariaLabel: button.textContent });
    const copied = await (navigator.clipboard?.writeText(text) || Promise.reject()).then(
      () => true,
      () => (button.after(area), area.select(), document.execCommand("copy") && (area.remove(), true)),
    );
    say(copied ? texts().copied : texts().select);
    if (!copied) return;
    button.textContent = texts().copied;
    setTimeout(() => (button.textContent = texts().copy), 2000);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button, [role=option]");
    if (!button) return;
    if (button.matches("[data-add]")) addRow().querySelector("input").focus();
    if (button.matches("[data-remove]")) removeRow(button.closest("[data-measurement]"));
    if (button.matches("[data-copies]")) copy(button);
    if (button.matches("#picks *")) choose(button.closest(".field").querySelector("[data-pick]"), button);
  });
  setUp();
})();
