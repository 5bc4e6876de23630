"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const at = (id) => document.getElementById(id);

  // The choice of colours outlives the page where the browser allows it.
  const themes = all("input[name=theme]");
  try {
    const kept = themes.find((theme) => theme.value === localStorage.getItem("theme"));
    if (kept) kept.checked = true;
  } catch {}
  for (const theme of themes) {
    theme.addEventListener("change", () => {
      try {
        localStorage.setItem("theme", theme.value);
      } catch {}
    });
  }

  const finder = document.querySelector(".finder");
  const find = at("find");
  const level = at("level");
  const result = at("result");
  const found = at("found");
  const groups = all("tbody, details.group").filter((group) => group.querySelector(".row"));
  const opened = new Map();
  const rows = all(".row").map((row) => {
    const summary = (row.localName !== "li" && row.querySelector("summary")) || row;
    const more = row.querySelector(".more");
    return {
      row,
      text: `${more ? more.id : ""} ${summary.textContent} ${row.dataset.words ?? ""}`.toLowerCase(),
      level: row.dataset.level ?? "",
      is: (row.dataset.is ?? "").split(" "),
      kind: row.matches("#rules *") ? "rules" : row.matches("#cases *") ? "fixtures" : "",
    };
  });

  function apply() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = words.length > 0 || level.value !== "" || result.value !== "";
    const counts = { rules: [0, 0], fixtures: [0, 0] };
    for (const it of rows) {
      const fits =
        words.every((word) => it.text.includes(word)) &&
        (level.value === "" || it.level === level.value) &&
        (result.value === "" || it.is.includes(result.value));
      it.row.hidden = !fits;
      if (it.kind) {
        counts[it.kind][0] += fits;
        counts[it.kind][1] += 1;
      }
    }
    for (const group of groups) {
      const some = group.querySelector(".row:not([hidden])") !== null;
      group.hidden = !some;
      if (group.localName !== "details") continue;
      if (active && !opened.has(group)) opened.set(group, group.open);
      if (active) group.open = some;
      else if (opened.has(group)) group.open = opened.get(group);
    }
    if (!active) opened.clear();
    for (const nothing of all(".nothing")) {
      nothing.hidden = nothing.parentElement.querySelector(".row:not([hidden])") !== null;
    }
    found.textContent = active
      ? Object.entries(counts)
          .map(([kind, [some, every]]) => `${some} of ${every} ${kind}`)
          .join(", ")
      : "";
  }

  function reset() {
    find.value = "";
    level.value = "";
    result.value = "";
    apply();
  }

  // A link leads to its place even where the place is folded or filtered away.
  function reveal() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {}
    const target = id && at(id);
    if (!target) return;
    if (target.closest("[hidden]")) reset();
    for (let up = target; up; up = up.parentElement) {
      if (up.localName === "details") up.open = true;
    }
    target.scrollIntoView();
  }

  find.addEventListener("input", apply);
  level.addEventListener("change", apply);
  result.addEventListener("change", apply);
  at("reset").addEventListener("click", () => {
    reset();
    find.focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input[type=search], select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      find.focus();
    } else if (event.key === "Escape" && event.target === find) {
      reset();
    }
  });
  addEventListener("hashchange", reveal);
  finder.hidden = false;
  // A browser that goes back may have kept what was typed.
  apply();
  reveal();
})();
