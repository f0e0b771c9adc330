"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const percent = (share) => (share === null || share === undefined ? "n/a" : (100 * share).toFixed(1));
  const option = (value, text) => {
    const made = element("option", text);
    made.value = value;
    return made;
  };

  // The leaderboard: one view a grouping, sorted by one column.
  const view = { columns: "", sort: "Accuracy", descending: true, filter: "", completeOnly: false };
  const rate = (name) => ({ name, value: (m) => m[name], cell: (m) => percent(m[name]) });
  const scoreColumn = (name, score) => ({
    name,
    value: (m) => (score(m) ? score(m).accuracy : null),
    cell: (m) => score(m),
    isScore: true,
  });
  const columnsOf = (grouping) => {
    const model = { name: "Model", value: (m) => m.label, cell: (m) => m.label, isText: true };
    const overall = scoreColumn("Accuracy", (m) => m.overall);
    if (grouping)
      return [model, overall, ...data.groupings[grouping].map(([value, name]) =>
        scoreColumn(name, (m) => (m.by[grouping] || {})[value]))];
    const answered = { name: "over answered", value: (m) => m.answered, cell: (m) => percent(m.answered) };
    const items = { name: "questions", value: (m) => m.overall.n, cell: (m) => String(m.overall.n) };
    const cost = { name: "cost (USD)", value: (m) => m.cost, cell: (m) => m.cost.toFixed(2) };
    return [model, overall, scoreColumn("Macro", (m) => m.macro), answered,
      ...["refused", "truncated", "unparsed", "unavailable"].map(rate), items, cost];
  };
  const compare = (column) => (a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
    if (y === null || y === undefined) return -1;
    const order = typeof x === "string" ? x.localeCompare(y) : x - y;
    return view.descending ? -order : order;
  };
  const scoreCell = (score) => {
    const cell = element("td");
    cell.append(percent(score ? score.accuracy : null) + (score && !score.complete ? "†" : ""));
    if (score && score.low !== null) cell.append(" ", element("span", `[${percent(score.low)}, ${percent(score.high)}]`, "interval"));
    if (score) cell.title = `${score.n} questions; by chance ${percent(score.chance)}`;
    return cell;
  };
  const drawBoard = () => {
    const columns = columnsOf(view.columns);
    const sorted = columns.find((column) => column.name === view.sort) || columns[1];
    const heading = element("tr");
    for (const column of columns) {
      const cell = element("th", null, column.isText ? "text" : "");
      cell.scope = "col";
      const active = column === sorted;
      cell.setAttribute("aria-sort", active ? (view.descending ? "descending" : "ascending") : "none");
      const button = element("button", column.name + (active ? (view.descending ? " ▼" : " ▲") : ""));
      button.type = "button";
      button.addEventListener("click", () => {
        view.descending = active ? !view.descending : !column.isText;
        view.sort = column.name;
        drawBoard();
      });
      cell.append(button);
      heading.append(cell);
    }
    byId("board").tHead.replaceChildren(heading);
    const wanted = view.filter.toLowerCase();
    const models = data.models.filter((m) =>
      (m.label + " " + m.section).toLowerCase().includes(wanted) && (!view.completeOnly || m.overall.complete));
    models.sort(compare(sorted));
    byId("board").tBodies[0].replaceChildren(...models.map((m) => {
      const row = element("tr");
      for (const column of columns) {
        const shown = column.cell(m);
        const cell = column.isScore ? scoreCell(shown) : element("td", shown, column.isText ? "text" : "");
        if (column.isText && m.suspect) cell.title = m.suspect;
        row.append(cell);
      }
      return row;
    }));
  };
  byId("columns").append(option("", "overview"), ...Object.keys(data.groupings).map((name) =>
    option(name, "by " + name.replaceAll("_", " "))));
  byId("columns").addEventListener("change", (event) => { view.columns = event.target.value; drawBoard(); });
  byId("model-filter").addEventListener("input", (event) => { view.filter = event.target.value; drawBoard(); });
  byId("complete-only").addEventListener("change", (event) => { view.completeOnly = event.target.checked; drawBoard(); });
  drawBoard();

  // The questions: filtered, ordered, drawn a page at a time.
  const PAGE = 25;
  const asked = { search: "", type: "", model: "", standing: "", order: "file", shown: PAGE };
  const standing = (item, reply) =>
    !reply || reply[0] === null ? "failed" : reply[0] === item.key ? "right" : "wrong";
  const matches = (item) => {
    const text = [item.id, item.group, item.stem, ...item.options.map((entry) => entry[1])].join("\n").toLowerCase();
    if (!text.includes(asked.search.toLowerCase())) return false;
    if (asked.type && item.type !== asked.type) return false;
    if (!asked.standing) return true;
    const chosen = asked.model === "" ? item.replies : [item.replies[Number(asked.model)]];
    return chosen.some((reply) => standing(item, reply) === asked.standing);
  };
  const last = (value) => (value === null ? Infinity : value);
  const orders = {
    file: null,
    hard: (a, b) => (b.wrong ?? -1) - (a.wrong ?? -1),
    doubtful: (a, b) => last(a.discrimination) - last(b.discrimination) || 0,
  };
  const answer = (item, place) => {
    const reply = item.replies[place];
    const how = standing(item, reply);
    const box = element("div", null, "answer " + (how === "right" ? "right" : "wrong"));
    const said = !reply ? "not asked" : reply[0] === null ? reply[1] : reply[0] + (how === "right" ? " ✓" : " ✗");
    box.append(element("strong", data.models[place].label), ": " + said);
    if (reply && reply[2] !== null) box.append(element("span", ` (confidence ${reply[2].toFixed(2)})`, "interval"));
    if (reply && reply[3]) box.append(element("p", reply[3]));
    return box;
  };
  const card = (item) => {
    const made = element("article");
    const facts = [item.id, item.type, item.group];
    if (item.wrong !== null) facts.push(`${percent(item.wrong)} % wrong`);
    if (item.discrimination !== null) facts.push(`discrimination ${item.discrimination.toFixed(2)}`);
    made.append(element("h3", facts.filter(Boolean).join(" · ")), element("p", item.stem, "stem"));
    const list = element("ol");
    for (const [letter, text] of item.options) {
      const chosen = item.replies.filter((reply) => reply && reply[0] === letter).length;
      const kind = letter === item.key ? "key" : chosen ? "" : "idle";
      list.append(element("li", `${letter}. ${text} (${chosen})${letter === item.key ? " ← key" : ""}`, kind));
    }
    const answers = element("div", null, "answers");
    answers.append(...data.models.map((_, place) => answer(item, place)));
    made.append(list, answers);
    return made;
  };
  const drawItems = () => {
    const found = data.items.filter(matches);
    if (orders[asked.order]) found.sort(orders[asked.order]);
    byId("item-count").textContent = `${found.length} of ${data.items.length} questions`;
    byId("items").replaceChildren(...found.slice(0, asked.shown).map(card));
    byId("more").hidden = found.length <= asked.shown;
  };
  const types = [...new Set(data.items.map((item) => item.type))].filter(Boolean);
  byId("item-type").append(option("", "all"), ...types.map((type) => option(type, type)));
  byId("item-model").append(option("", "any model"), ...data.models.map((m, place) => option(String(place), m.label)));
  const listen = (id, field) => byId(id).addEventListener("input", (event) => {
    asked[field] = event.target.value;
    asked.shown = PAGE;
    drawItems();
  });
  listen("item-search", "search");
  listen("item-type", "type");
  listen("item-model", "model");
  listen("item-standing", "standing");
  listen("item-order", "order");
  byId("more").addEventListener("click", () => { asked.shown += PAGE; drawItems(); });
  drawItems();
})();
