"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = (selector) => document.querySelector(selector);
  const cards = all(".card");
  const filters = { text: one("#f-text"), step: one("#f-step"), type: one("#f-type"), group: one("#f-group"), check: one("#f-check"), drafter: one("#f-drafter") };

  /* Theme: automatic, light, dark. */
  const themes = ["auto", "light", "dark"];
  const keep = (value) => { try { localStorage.setItem("theme", value); } catch (error) { /* file pages may have no store */ } };
  const kept = () => { try { return localStorage.getItem("theme"); } catch (error) { return null; } };
  const themeButton = one("#theme");
  const setTheme = (name) => {
    if (name === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", name);
    themeButton.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[name];
    themeButton.dataset.theme = name;
  };
  const nextTheme = () => {
    const name = themes[(themes.indexOf(themeButton.dataset.theme) + 1) % themes.length];
    setTheme(name);
    keep(name);
  };
  setTheme(themes.includes(kept()) ? kept() : "auto");
  themeButton.addEventListener("click", nextTheme);

  /* Frames: each is kept once, and decoded when it comes near the window. */
  const show = (image) => {
    if (image.src) return;
    const data = document.getElementById("frame-" + image.dataset.sha);
    if (data) image.src = "data:image/jpeg;base64," + data.textContent.trim();
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { show(entry.target); watcher.unobserve(entry.target); }
  }, { rootMargin: "600px" });
  all("img[data-sha]").forEach((image) => watcher.observe(image));
  const viewer = one("#viewer");
  document.addEventListener("click", (event) => {
    const shot = event.target.closest("button.shot");
    if (!shot) return;
    const image = shot.querySelector("img");
    const large = viewer.querySelector("img");
    show(image);
    large.src = image.src;
    large.alt = image.alt;
    viewer.querySelector("p").textContent = image.alt;
    viewer.showModal();
  });
  all("dialog").forEach((dialog) => dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }));
  all("dialog button").forEach((button) => button.addEventListener("click", () => button.closest("dialog").close()));

  /* Filters. */
  const words = new WeakMap();
  const wordsOf = (card) => {
    if (!words.has(card)) words.set(card, card.textContent.toLowerCase().replace(/\s+/g, " "));
    return words.get(card);
  };
  const wanted = (card, needles) => {
    const data = card.dataset;
    for (const name of ["step", "type", "group", "drafter"]) {
      const field = filters[name];
      if (field && field.value && data[name] !== field.value) return false;
    }
    if (filters.check.value && !(" " + data.checks + " ").includes(" " + filters.check.value + " ")) return false;
    return needles.every((needle) => wordsOf(card).includes(needle));
  };
  const apply = () => {
    const needles = filters.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      card.hidden = !wanted(card, needles);
      if (!card.hidden) shown += 1;
    }
    one("#count").textContent = shown === cards.length ? shown + " questions" : shown + " of " + cards.length;
    one("#none").hidden = shown > 0;
    all(".step").forEach((step) => step.setAttribute("aria-pressed", String(step.dataset.value !== "" && filters[step.dataset.filter].value === step.dataset.value)));
  };
  let waiting = 0;
  filters.text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  for (const field of Object.values(filters)) if (field && field !== filters.text) field.addEventListener("change", apply);
  const clear = () => { for (const field of Object.values(filters)) if (field) field.value = ""; apply(); };
  all(".js-clear").forEach((button) => button.addEventListener("click", clear));
  all(".step").forEach((step) => step.addEventListener("click", () => {
    const field = filters[step.dataset.filter];
    const again = field.value === step.dataset.value;
    clear();
    field.value = again ? "" : step.dataset.value;
    apply();
    one("#questions").scrollIntoView();
  }));
  const visible = () => cards.filter((card) => !card.hidden);
  const toggleAll = () => {
    const shown = visible();
    const open = !shown.some((card) => card.open);
    for (const card of shown) card.open = open;
  };
  one("#toggle").addEventListener("click", toggleAll);

  /* Anchors: a link to a question opens it. */
  const follow = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.matches(".card")) { if (target.hidden) clear(); target.open = true; }
    const fold = target.closest("details");
    if (fold) fold.open = true;
    target.scrollIntoView();
    const summary = target.querySelector("summary");
    if (summary) summary.focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", follow);

  /* Keyboard. */
  const move = (by) => {
    const shown = visible();
    const here = shown.findIndex((card) => card.contains(document.activeElement));
    const next = shown[here < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, here + by))];
    if (!next) return;
    next.querySelector("summary").focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const help = one("#help");
  one("#keys").addEventListener("click", () => help.showModal());
  const actions = {
    "/": () => { filters.text.focus(); filters.text.select(); },
    j: () => move(1),
    k: () => move(-1),
    o: () => { const card = document.activeElement.closest(".card"); if (card) card.open = !card.open; },
    e: toggleAll,
    c: clear,
    t: nextTheme,
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && typing) event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  /* Printing: with no card open, print them all open; frames of open cards are loaded first. */
  window.addEventListener("beforeprint", () => {
    const shown = visible();
    if (!shown.some((card) => card.open)) for (const card of shown) card.open = true;
    for (const card of shown) if (card.open) all("img[data-sha]", card).forEach(show);
  });

  apply();
  follow();
})();
