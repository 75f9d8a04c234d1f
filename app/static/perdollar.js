// What the page does beyond plain HTML: messages at their fields after an update, the spoken status,
// one more measurement, one's own figures in place of the example's, and one history entry for a burst of typing.
// The back button replaces the whole body, so nothing here holds on to an element.
(() => {
  "use strict";

  function placeProblems() {
    document.querySelectorAll("form.question [data-problem-of]").forEach((note) => {
      note.hidden = true;
      note.textContent = "";
      document.getElementById(note.dataset.problemOf)?.removeAttribute("aria-invalid");
    });
    document.querySelectorAll("#results [data-field]").forEach((item) => {
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
  }

  function showAdd() {
    document.querySelectorAll("[data-add]").forEach((button) => {
      button.hidden = false;
    });
  }

  document.addEventListener("htmx:after:swap", () => {
    showAdd();
    document.getElementById("workings")?.scrollIntoView();
    const status = document.getElementById("status");
    if (!status) return;
    placeProblems();
    const said = document.querySelector("#results [data-status]")?.dataset.status;
    status.textContent = said || "The question has a mistake; see its fields.";
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

  function addMeasurement(button) {
    const all = document.querySelectorAll("[data-measurement]");
    const copy = all[all.length - 1].cloneNode(true);
    const number = all.length;
    copy.querySelectorAll("[id], [for], [name], [aria-describedby], [data-problem-of]").forEach((node) => {
      ["id", "for", "name", "aria-describedby", "data-problem-of"].forEach((attribute) => {
        const text = node.getAttribute(attribute);
        if (text === null) return;
        node.setAttribute(
          attribute,
          text.replaceAll(`m-${number - 1}`, `m-${number}`).replaceAll(`m${number}.`, `m${number + 1}.`),
        );
      });
      if (node.matches("input")) node.value = "";
      if (node.matches("select")) node.selectedIndex = 0;
      if (node.matches("[data-problem-of]")) {
        node.hidden = true;
        node.textContent = "";
      }
      node.removeAttribute("aria-invalid");
    });
    copy.removeAttribute("data-example");
    copy.querySelector("label").textContent = `Measurement ${number + 1}`;
    button.before(copy);
    copy.querySelector("input").focus();
  }

  // A figure of one's own in the example's place is not the one that was published.
  document.addEventListener("input", (event) => {
    const row = event.target.name === "m" && event.target.closest("[data-example]");
    if (!row) return;
    row.removeAttribute("data-example");
    row.querySelectorAll("details input").forEach((input) => (input.value = ""));
    row.querySelectorAll("details select").forEach((select) => (select.selectedIndex = 0));
  });

  // What was said of a measurement that is blank now is kept in the form, but not asked.
  document.addEventListener("htmx:config:request", (event) => {
    const asked = event.detail.ctx.request.body;
    document.querySelectorAll("[data-measurement]").forEach((row, index) => {
      if (row.querySelector("[name=m]").value.trim()) return;
      [...asked.keys()].filter((name) => name.startsWith(`m${index + 1}.`)).forEach((name) => asked.delete(name));
    });
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-add]");
    if (button) addMeasurement(button);
  });
  showAdd();
})();
