// The page's own behaviour: captions that follow, what was watched, autosave of scores and comments, the keyboard.
// Everything hangs on `document`, because Gradio replaces the parts of the page when one goes on to another item.
(() => {
  "use strict";

  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const sheet = () => $(".bw-sheet");
  const videos = () => $$(".bw-viewer video");

  let words = {}; // of the page's language, from the header
  const say = (name) => words[name] || name;

  // ---- Saving: posts are queued, kept in the browser until the server has them, and tried again -----------------------

  let owner = ""; // whose work the queue is: on a shared machine nobody sends another's
  let queue = [];
  let sending = false;
  const remember = () => localStorage.setItem(`benchwright-unsaved-${owner}`, JSON.stringify(queue));

  function own(reviewer) {
    if (owner === reviewer) return;
    owner = reviewer;
    queue = JSON.parse(localStorage.getItem(`benchwright-unsaved-${owner}`) || "[]");
  }

  function enqueue(address, body) {
    queue.push({ address, body });
    remember();
    status(say("saving"), "");
    send();
  }

  async function send() {
    if (sending) return;
    sending = true;
    while (queue.length) {
      const { address, body } = queue[0];
      let response;
      try {
        response = await fetch(address, {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        });
      } catch {
        response = null;
      }
      if (response === null || response.status >= 500) {
        status(say("not_saved"), "bad");
        await new Promise((wake) => setTimeout(wake, 1500));
        continue;
      }
      if (response.status === 401) { // the session ended: what is queued is sent after the next sign-in
        location.href = "/sign-in?next=" + encodeURIComponent(location.pathname + location.search);
        break;
      }
      queue.shift();
      remember();
      const answer = await response.json().catch(() => ({}));
      if (response.ok) kept(answer, body);
      else status(say("refused_score") + " " + (answer.error || JSON.stringify(answer.detail || response.status)), "bad");
    }
    sending = false;
  }

  function status(text, tone) {
    const line = $("#bw-saved");
    if (!line) return;
    line.textContent = text;
    line.className = "bw-saved" + (tone ? " bw-" + tone : "");
  }

  function kept(answer, body) {
    const current = sheet();
    progress(answer.progress);
    if (!current || current.dataset.item !== body.item_id) return;
    status(`${say("saved")} ✓ ${new Date(answer.at).toLocaleTimeString()}`, "good");
    const chip = $("#bw-item-status");
    chip.textContent = say("status_" + answer.status);
    chip.className = "bw-chip bw-status-" + answer.status;
    advise(answer);
    warn(answer);
  }

  function progress(found) {
    const bar = $("#bw-progress-bar"), text = $("#bw-progress-text");
    if (!found || !bar) return;
    bar.max = Math.max(1, found.assigned);
    bar.value = found.done;
    text.textContent = `${found.done} / ${found.assigned} ${say("done")}`;
  }

  function advise(answer) {
    const box = $("#bw-advice");
    if (!box) return;
    box.hidden = !answer.complete;
    box.className = "bw-advice bw-" + answer.verdict;
    box.replaceChildren();
    if (!answer.complete) return;
    const total = answer.shows_total ? `${say("total")} ${answer.total}. ` : "";
    box.append(line("p", total + say("advice_" + answer.verdict)));
    if (answer.verdict === "revise") for (const advice of answer.advice) box.append(line("p", "→ " + advice));
    if (answer.latest > answer.revision) box.append(line("p", say("newer")));
  }

  function warn(answer) {
    const box = $("#bw-warning");
    if (!box) return;
    box.hidden = !answer.unwatched.length;
    const shown = answer.unwatched.map(([video, share]) => `${tagOf(video)} ${Math.floor(share * 100)} %`).sort();
    box.textContent = shown.length ? say("unwatched") + " " + shown.join(", ") : "";
  }

  function line(kind, text) {
    const made = document.createElement(kind);
    made.textContent = text;
    return made;
  }

  const tagOf = (video) => $$(".bw-source").find((one) => one.dataset.video === video)?.dataset.tag || video;

  document.addEventListener("change", (event) => {
    const input = event.target;
    if (!input.matches?.(".bw-sheet input[type=radio]")) return;
    const form = sheet();
    showCriteria(input.closest(".bw-dimension"));
    reportWatched();
    enqueue("/api/score", {
      item_id: form.dataset.item, revision: Number(form.dataset.revision),
      dimension: input.closest(".bw-dimension").dataset.dimension, level: input.value,
    });
  });

  let typing = null;
  const comments = new Map();

  function saveComment(area) {
    clearTimeout(typing);
    const form = area.closest(".bw-sheet");
    const where = `${form.dataset.item}@${form.dataset.revision}`;
    if ((comments.get(where) ?? area.defaultValue) === area.value) return;
    comments.set(where, area.value);
    enqueue("/api/comment", {
      item_id: form.dataset.item, revision: Number(form.dataset.revision), text: area.value,
    });
  }

  document.addEventListener("input", (event) => {
    if (!event.target.matches?.(".bw-comment textarea")) return;
    clearTimeout(typing);
    const area = event.target;
    typing = setTimeout(() => saveComment(area), 800);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.matches?.(".bw-comment textarea")) saveComment(event.target);
  });
  document.addEventListener("submit", (event) => { if (event.target.matches?.(".bw-sheet")) event.preventDefault(); });
  window.addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });

  // ---- Criteria at hand: of the score under the pointer, else of the one given, else the dimension's question ----------

  function showCriteria(dimension, level) {
    const text = $(".bw-criteria", dimension);
    const chosen = level || $("input:checked", dimension)?.closest(".bw-level");
    text.textContent = chosen?.dataset.criteria || text.dataset.question;
    text.classList.toggle("bw-chosen", Boolean(chosen?.dataset.criteria));
  }
  document.addEventListener("mouseover", (event) => {
    const level = event.target.closest?.(".bw-level");
    if (level) showCriteria(level.closest(".bw-dimension"), level);
  });
  document.addEventListener("mouseout", (event) => {
    const level = event.target.closest?.(".bw-level");
    if (level) showCriteria(level.closest(".bw-dimension"));
  });

  // ---- Videos: captions that follow and jump, frames that jump, what was watched ---------------------------------------

  const reported = new WeakMap();

  function spans(video) {
    const played = [];
    for (let index = 0; index < video.played.length; index += 1) {
      played.push([video.played.start(index), video.played.end(index)]);
    }
    return played;
  }

  function reportWatched(leaving = false) {
    for (const video of videos()) {
      const source = video.closest(".bw-source");
      const body = {
        group_id: $(".bw-viewer").dataset.group, video_id: source.dataset.video,
        duration_s: video.duration, spans: spans(video).slice(0, 5000),
      };
      const text = JSON.stringify(body);
      if (!body.spans.length || !Number.isFinite(video.duration) || reported.get(video) === text) continue;
      reported.set(video, text);
      if (leaving) {
        navigator.sendBeacon("/api/watched", new Blob([text], { type: "application/json" }));
        continue;
      }
      fetch("/api/watched", { method: "POST", headers: { "Content-Type": "application/json" }, body: text })
        .then((response) => (response.ok ? response.json() : Promise.reject(response.status)))
        .then((seen) => {
          $("meter", source).value = seen.share;
          $(".bw-percent", source).textContent = seen.percent;
          video.dataset.watched = seen.share;
        })
        .catch(() => reported.delete(video));
    }
  }
  setInterval(reportWatched, 4000);
  document.addEventListener("visibilitychange", () => { if (document.hidden) reportWatched(true); });
  window.addEventListener("pagehide", () => reportWatched(true));

  function follow(video) {
    const list = $(".bw-captions", video.closest(".bw-source"));
    if (!list) return;
    const now = video.currentTime;
    let current = null;
    for (const item of list.children) {
      if (Number(item.dataset.start) <= now + 0.05) current = item;
      else break;
    }
    if (current && now > Number(current.dataset.end) + 2) current = null;
    const before = $(".bw-now", list);
    if (before === current) return;
    before?.classList.remove("bw-now");
    if (!current) return;
    current.classList.add("bw-now");
    list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 3;
  }

  const onVideo = (handler) => (event) => { if (event.target.matches?.(".bw-viewer video")) handler(event.target); };
  document.addEventListener("timeupdate", onVideo(follow), true);
  document.addEventListener("seeked", onVideo(follow), true);
  document.addEventListener("pause", onVideo(() => reportWatched()), true);
  document.addEventListener("ended", onVideo(() => reportWatched()), true);
  document.addEventListener("error", onVideo((video) => {
    const note = $(".bw-cannot", video.closest(".bw-source"));
    if (note && video.error) note.hidden = false;
  }), true);

  function jump(source, seconds) {
    const video = $("video", source);
    if (!video) return;
    video.currentTime = seconds;
    video.play().catch(() => {});
  }
  document.addEventListener("click", (event) => {
    const place = event.target.closest?.(".bw-captions [data-start], .bw-frame");
    if (place) jump(place.closest(".bw-source"), Number(place.dataset.start ?? place.dataset.time));
    const tool = event.target.closest?.(".bw-tool");
    if (tool?.dataset.do === "play") playAll();
    if (tool?.dataset.do === "pause") videos().forEach((video) => video.pause());
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches?.(".bw-toolbar select")) return;
    videos().forEach((video) => { video.playbackRate = Number(event.target.value); });
  });

  function playAll() {
    // Several voices at once cannot be followed: the first keeps its sound, unless one was chosen already.
    const all = videos();
    if (all.length > 1 && all.every((video) => !video.muted)) all.slice(1).forEach((video) => { video.muted = true; });
    all.forEach((video) => video.play().catch(() => {}));
  }
  document.addEventListener("volumechange", onVideo((video) => {
    if (!video.muted) videos().filter((other) => other !== video).forEach((other) => { other.muted = true; });
  }), true);

  // ---- Keyboard --------------------------------------------------------------------------------------------------------

  const CLICKS = {
    n: "#bw-next", p: "#bw-previous", o: "#bw-next-open", k: "#bw-show-key", v: "#bw-show-after", e: "#bw-edit",
  };
  // What opens after scoring asks the server, which must have the last score first; without a connection, not for ever.
  function whenSaved(act, tries = 0) {
    if (queue.length && tries < 30) setTimeout(() => whenSaved(act, tries + 1), 50);
    else act();
  }
  const writing = (node) => node.closest?.("textarea, select, [contenteditable], input:not([type=radio])");

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && writing(event.target)) { event.target.blur(); return; }
    const caption = event.target.closest?.(".bw-captions [data-start]");
    if (caption && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); caption.click(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || writing(event.target)) return;
    const level = $$(".bw-sheet input[data-shortcut]").find((input) => input.dataset.shortcut === event.key);
    if (level && level.offsetParent !== null) {
      event.preventDefault();
      if (!level.checked) level.click();
      else level.dispatchEvent(new Event("change", { bubbles: true }));
      level.focus({ preventScroll: true });
      return;
    }
    if (CLICKS[event.key]) { event.preventDefault(); whenSaved(() => $(CLICKS[event.key])?.click()); return; }
    if (event.key === "c") { event.preventDefault(); $(".bw-comment textarea")?.focus(); return; }
    if (event.key === "r") { videos().forEach((video) => { video.currentTime = 0; }); return; }
    if (event.key === "?") { $$("#bw-tabs button[role=tab]").at(-1)?.click(); return; }
    if (event.key === "w") {
      event.preventDefault();
      if (videos().some((video) => !video.paused)) videos().forEach((video) => video.pause());
      else playAll();
    }
  });

  // The rules see what stands in the form shortly after it was typed, pasted or chosen. Gradio's own `input` misses what
  // is pasted, and its `change` also fires while the form is being filled.
  let checking = null;
  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      if (!event.target.closest?.("#bw-edit-form")) return;
      clearTimeout(checking);
      checking = setTimeout(() => $("#bw-check")?.click(), 300);
    });
  }

  const OPENS = { "bw-edit": "#bw-edit-form", "bw-show-after": "#bw-after" };
  document.addEventListener("click", (event) => {
    const target = OPENS[event.target.closest?.("button")?.id];
    if (!target) return;
    let tries = 0;
    const look = setInterval(() => {
      const opened = $(target);
      tries += 1;
      if (opened?.offsetParent) opened.scrollIntoView({ block: "start", behavior: "smooth" });
      if (opened?.offsetParent || tries > 20) clearInterval(look);
    }, 100);
  });

  // ---- When Gradio shows another item: keep it in the address, so that a reload finds it --------------------------------

  // Gradio changes the nodes that are there where it can, and a radio button that was clicked would stay checked on the
  // next item: the form goes back to what the server wrote.
  let shown = "", filled = "";
  function arrived() {
    const form = sheet();
    if (form && filled !== form.id) {
      filled = form.id;
      form.reset();
      status("", "");
      for (const box of $$("#bw-advice, #bw-warning")) box.hidden = true;
      $$(".bw-dimension", form).forEach((dimension) => showCriteria(dimension));
    }
    const head = $(".bw-head");
    if (!head) return;
    const place = head.dataset.item ? `${head.dataset.item}@${head.dataset.revision}` : "";
    if (!place || place === shown) return;
    shown = place;
    words = JSON.parse(head.dataset.words);
    document.documentElement.lang = head.dataset.language;
    own($(".bw-me", head).textContent);
    const address = new URL(location.href);
    address.searchParams.set("item", head.dataset.item);
    history.replaceState(null, "", address);
    $("#bw-right")?.scrollTo(0, 0);
    send();
  }
  new MutationObserver(arrived).observe(document.documentElement, { childList: true, subtree: true });
})();
