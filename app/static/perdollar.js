// What the page does beyond plain HTML: messages at their fields after an update, the spoken status,
// one more measurement, and one history entry for a burst of typing.
(() => {
  "use strict";
  const form = document.querySelector("form.question");
  if (!form) return;

  function placeProblems() {
    form.querySelectorAll("[data-problem-of]").forEach((note) => {
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

  document.addEventListener("htmx:after:swap", () => {
    placeProblems();
    const said = document.querySelector("#results [data-status]")?.dataset.status;
    document.getElementById("status").textContent = said || "The question has a mistake; see its fields.";
  });

  let last = 0;
  document.addEventListener("htmx:before:history:update", (event) => {
    const now = Date.now();
    if (now - last < 2000 && event.detail.history) event.detail.history.type = "replace";
    last = now;
  });

  const add = form.querySelector("[data-add]");
  if (add) {
    add.hidden = false;
    add.addEventListener("click", () => {
      const all = form.querySelectorAll("[data-measurement]");
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
        node.removeAttribute("aria-invalid");
      });
      copy.querySelector("label").textContent = `Measurement ${number + 1}`;
      add.before(copy);
      copy.querySelector("input").focus();
    });
  }
})();
