// The phone page: draws what the server sends, and asks it for the actions of a tapped soldier. It can change nothing.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const LOST_MS = 4000, SILENT_MS = 25000, CHECK_MS = 1000, SETTLE_MS = 1500;
const TAP_PX = 30, RADIUS_PX = 8.5, LETTER_PX = 6.2, BASE_IN = 0.5;

const part = (id) => document.getElementById(id);
const words = document.body.dataset;
let data = null, chosen = "", answer = null, quarterTurns = 0, settling = 0;
let source = null, heardMs = Date.now();

// Text from the server is only ever set as text, never as markup.
function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

function paragraphs(lines) {
  return lines.map((line) => element("p", line));
}

// The connection

function connect() {
  if (source) source.close();
  source = new EventSource("events");
  source.onopen = heard;
  source.addEventListener("ping", heard);
  source.onmessage = (message) => { heard(); show(JSON.parse(message.data)); };
}

function heard() {
  heardMs = Date.now();
  part("lost").hidden = true;
}

function checkConnection() {
  const silentMs = Date.now() - heardMs, open = source.readyState === EventSource.OPEN;
  if (silentMs > SILENT_MS || (!open && silentMs > LOST_MS)) part("lost").hidden = false;
  if (source.readyState === EventSource.CLOSED || (open && silentMs > SILENT_MS)) connect();
}

// The battle

function show(news) {
  if (!news.figures) return;
  data = news;
  const turn = part("turn");
  part("heading").textContent = data.turn ? data.turn.words : words.noBattle;
  turn.style.background = data.turn ? data.turn.colour : "";
  turn.style.color = data.turn ? data.turn.ink : "";
  part("sides").textContent = data.sides
    .map((side) => words.sideLeft.replace("{side}", side.name).replace("{left}", side.left)).join(" · ");
  part("owed").textContent = data.owed;
  part("owed").hidden = !data.owed;
  part("verdict").replaceChildren(...paragraphs(data.verdict));
  part("last").hidden = !data.verdict.length;
  listSoldiers();
  drawMap();
  if (chosen) {  // while a hand moves over the table, the rules are not asked again and again
    clearTimeout(settling);
    settling = setTimeout(ask, SETTLE_MS);
  }
}

function listSoldiers() {
  const names = data.figures.filter((figure) => !figure.out).map(({id, name}) => ({id, name}));
  names.sort((a, b) => a.name.localeCompare(b.name, undefined, {numeric: true}));
  const key = JSON.stringify(names), list = part("soldier");
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...[{id: "", name: words.choose}, ...names].map(({id, name}) => {
      const option = element("option", name);
      option.value = id;
      return option;
    }));
  }
  list.value = chosen;
}

function choose(id) {
  chosen = id === chosen ? "" : id;
  answer = null;
  part("soldier").value = chosen;
  clearTimeout(settling);
  ask();
  drawMap();
}

async function ask() {
  const asked = chosen, figure = data && data.figures.find((one) => one.id === asked);
  if (!figure || !data.turn) return showAnswer(figure ? {name: figure.name, refusal: words.noBattle} : null);
  if (!answer) showAnswer({name: figure.name, refusal: words.thinking});
  let found = {name: figure.name, refusal: words.busy};
  try {
    const reply = await fetch("targets/" + encodeURIComponent(asked));
    if (reply.ok) found = await reply.json();
  } catch { /* the check of the connection says so */ }
  if (asked === chosen) showAnswer(found);
}

function showAnswer(found) {
  const section = part("actions"), title = found && (found.card ? `${found.name} · ${found.card}` : found.name);
  answer = found && found.actions ? found : null;
  section.hidden = !found;
  if (!found) return section.replaceChildren();
  const parts = [element("h2", title)];
  if (found.refusal) parts.push(element("p", found.refusal));
  if (found.move) parts.push(element("p", found.move));
  if (answer) {
    if (answer.actions.length) parts.push(element("ul", "", ...answer.actions.map(action)));
    else if (!answer.may_move) parts.push(element("p", words.nothing));
    if (answer.forbidden.length) {
      const why = element("div", "", ...paragraphs(answer.forbidden));
      why.className = "reasons";
      parts.push(element("details", "", element("summary", "", element("span", `${words.forbidden} (${answer.forbidden.length})`)), why));
    }
  }
  section.replaceChildren(...parts);
  drawMap();
}

function action(one) {
  const head = element("summary", "", element("span", one.words), element("b", one.chance));
  const reasons = element("div", "", ...paragraphs(one.reasons));
  reasons.className = "reasons";
  return element("li", "", element("details", "", head, reasons));
}

// The map: inches, with y away from the near edge, turned by quarters for players at the other sides of the table

function size() {
  const [left, near, right, far] = data.extent;
  return quarterTurns % 2 ? [far - near, right - left] : [right - left, far - near];
}

function place(x, y) {
  const [left, near, right, far] = data.extent;
  const turns = [[x - left, far - y], [y - near, x - left], [right - x, y - near], [far - y, right - x]];
  return turns[quarterTurns];
}

function drawMap() {
  if (!data) return;
  const map = part("map"), [width, height] = size();
  map.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const inPerPx = width / (map.clientWidth || 390), radius = Math.max(BASE_IN, RADIUS_PX * inPerPx);
  const points = (outline) => outline.map(([x, y]) => place(x, y).join(",")).join(" ");
  const figures = [...data.figures].sort((a, b) => (a.id === chosen) - (b.id === chosen));  // the chosen one on top
  const shapes = [], names = [], taken = figures.map(({x, y}) => {
    const [u, v] = place(x, y);
    return [u - radius, v - radius, u + radius, v + radius];
  });
  if (data.area.length) shapes.push(drawn("polygon", {class: "area", points: points(data.area)}));
  for (const piece of data.terrain) {
    const places = piece.outline.map(([x, y]) => place(x, y));
    const [x, y] = [0, 1].map((axis) => places.reduce((sum, at) => sum + at[axis], 0) / places.length);
    shapes.push(drawn("polygon", {class: "piece", points: points(piece.outline)}));
    const half = 0.5 * LETTER_PX * inPerPx * piece.name.length, size = 11 * inPerPx;
    const box = [x - half, y - size, x + half, y + size / 2];
    if (taken.some(([left, top, right, low]) => left < box[2] && box[0] < right && top < box[3] && box[1] < low)) continue;
    taken.push(box);  // a name that would cover a soldier or another name is left out
    names.push(drawn("text", {class: "piece-name", x, y, "font-size": size}, piece.name));
  }
  map.replaceChildren(...shapes, ...names, ...shots(inPerPx), ...figures.flatMap((one) => figureShapes(one, radius)));
}

function shots(inPerPx) {
  const from = answer && data.figures.find((one) => one.id === chosen);
  if (!from) return [];
  const targets = new Set(answer.actions.flatMap((one) => one.chance ? one.at.slice(0, 1) : []));
  const [x1, y1] = place(from.x, from.y);
  return data.figures.filter((one) => targets.has(one.id) && one.id !== chosen).map((one) => {
    const [x2, y2] = place(one.x, one.y);
    return drawn("line", {class: "shot", x1, y1, x2, y2, "stroke-width": 1.3 * inPerPx});
  });
}

function figureShapes(one, radius) {
  const [x, y] = place(one.x, one.y), state = one.id === chosen ? " chosen" : one.seen ? "" : " unseen";
  const look = {class: "figure" + state, fill: one.colour, "stroke-width": radius * (one.id === chosen ? 0.45 : 0.15)};
  if (one.out) {
    const arms = [[-1, -1, 1, 1], [-1, 1, 1, -1]];
    return arms.map(([a, b, c, d]) => drawn("line", {
      class: "cross", "stroke-width": radius * 0.3,
      x1: x + a * radius * 0.7, y1: y + b * radius * 0.7, x2: x + c * radius * 0.7, y2: y + d * radius * 0.7,
    }));
  }
  const text = {class: "number", x, y, fill: one.ink, "font-size": radius * 1.15};
  return [outline(one.shape, x, y, radius, look), drawn("text", text, one.number)];
}

function outline(shape, x, y, radius, look) {
  if (shape === "circle") return drawn("circle", {cx: x, cy: y, r: radius, ...look});
  const side = radius * 1.8, corner = {x: x - side / 2, y: y - side / 2, width: side, height: side};
  const turned = shape === "diamond" ? {transform: `rotate(45 ${x} ${y})`} : {};
  return drawn("rect", {...corner, ...turned, ...look});
}

function tap(event) {
  if (!data) return;
  const map = part("map"), box = map.getBoundingClientRect(), inPerPx = size()[0] / box.width;
  let nearest = "", reachIn = TAP_PX * inPerPx;
  for (const one of data.figures) {
    const [x, y] = place(one.x, one.y);
    const awayIn = Math.hypot((event.clientX - box.left) * inPerPx - x, (event.clientY - box.top) * inPerPx - y);
    if (!one.out && awayIn < reachIn) [nearest, reachIn] = [one.id, awayIn];
  }
  if (nearest || chosen) choose(nearest || chosen);
}

part("map").addEventListener("click", tap);
part("soldier").addEventListener("change", (event) => choose(event.target.value));
part("turn-map").addEventListener("click", () => { quarterTurns = (quarterTurns + 1) % 4; drawMap(); });
window.addEventListener("resize", drawMap);
document.addEventListener("visibilitychange", () => { if (!document.hidden) checkConnection(); });
connect();
setInterval(checkConnection, CHECK_MS);
