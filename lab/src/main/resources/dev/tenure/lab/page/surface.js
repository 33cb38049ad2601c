"use strict";

/** What a diagram is drawn on: a pen with the words of a canvas, the room there is, and the colours by their names. */
function canvasSurface(canvas) {
  const pen = canvas.getContext("2d");
  return {
    pen,
    part: () => {},
    room: () => ({width: canvas.parentElement.clientWidth - 20, height: Math.max(window.innerHeight - 330, 280)}),
    take(width, height) {
      const dense = window.devicePixelRatio || 1;
      canvas.style.height = `${height}px`;
      canvas.width = width * dense;
      canvas.height = height * dense;
      pen.setTransform(dense, 0, 0, dense, 0, 0);
    },
    colours() {
      const style = getComputedStyle(document.documentElement);
      return name => style.getPropertyValue(name).trim();
    },
  };
}

/** The same drawing as a picture that can be kept: it has the colours of the page in it, for light and for dark. */
function svgSurface(room) {
  const lines = [], clips = [], states = [];
  let size = room, state = {clip: ""}, path = [], open = "";
  const num = value => String(Math.round(value * 10) / 10);
  const escaped = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const shown = () => (pen.globalAlpha < 1 ? ` opacity="${num2(pen.globalAlpha)}"` : "") + state.clip;
  const num2 = value => String(Math.round(value * 100) / 100);
  const box = (left, top, wide, high) => `x="${num(left)}" y="${num(top)}" width="${num(Math.max(0, wide))}" height="${num(high)}"`;
  const stroke = () => `stroke="${pen.strokeStyle}" stroke-width="${num2(pen.lineWidth)}"${dash}`;
  let dash = "";

  const pen = {
    fillStyle: "", strokeStyle: "", lineWidth: 1, globalAlpha: 1, font: "", textAlign: "left", textBaseline: "middle",
    clearRect() {},
    save: () => states.push({...state}),
    restore: () => { state = states.pop(); },
    beginPath: () => { path = []; },
    moveTo: (x, y) => path.push(`M${num(x)} ${num(y)}`),
    lineTo: (x, y) => path.push(`L${num(x)} ${num(y)}`),
    rect: (...corners) => path.push(corners),
    roundRect: (left, top, wide, high, round) => path.push(`<rect ${box(left, top, wide, high)} rx="${num(round)}"`),
    arc: (x, y, radius) => path.push(`<circle cx="${num(x)}" cy="${num(y)}" r="${num(radius)}"`),
    clip() {
      clips.push(`<clipPath id="c${clips.length}"><rect ${box(...path[0])}/></clipPath>`);
      state = {...state, clip: ` clip-path="url(#c${clips.length - 1})"`};
    },
    stroke: () => lines.push(`<path d="${path.join("")}" fill="none" ${stroke()}${shown()}/>`),
    fill: () => lines.push(path[0].startsWith("<") ? `${path[0]} fill="${pen.fillStyle}"${shown()}/>`
        : `<path d="${path.join("")}Z" fill="${pen.fillStyle}"${shown()}/>`),
    fillRect: (...corners) => lines.push(`<rect ${box(...corners)} fill="${pen.fillStyle}"${shown()}/>`),
    strokeRect: (...corners) => lines.push(`<rect ${box(...corners)} fill="none" ${stroke()}${shown()}/>`),
    setLineDash: pattern => { dash = pattern.length === 0 ? "" : ` stroke-dasharray="${pattern.join(" ")}"`; },
    fillText(text, left, top) {
      const [, weight, points] = /^(\d+ )?([\d.]+)px/.exec(pen.font);
      const anchor = {left: "start", center: "middle", right: "end"}[pen.textAlign];
      lines.push(`<text x="${num(left)}" y="${num(top)}" dy=".34em" font-size="${points}"${weight === undefined ? "" : ` font-weight="${weight.trim()}"`} text-anchor="${anchor}" fill="${pen.fillStyle}"${shown()}>${escaped(text)}</text>`);
    },
  };

  return {
    pen,
    /** What is drawn from here on belongs together, and has this name. */
    part(name) {
      lines.push(`${open}<g class="${name}">`);
      open = "</g>\n";
    },
    room: () => room,
    take: (width, height) => { size = {width, height}; },
    below(kinds) {
      let left = 74;
      this.part("legend");
      for (const kind of kinds) {
        lines.push(`<path d="M${left} ${num(size.height + 10)}h16" stroke="${kind.colour}" stroke-width="2.5"/>`);
        lines.push(`<text x="${left + 22}" y="${num(size.height + 10)}" dy=".34em" font-size="12" fill="var(--soft)">${escaped(kind.name)}</text>`);
        left += 46 + kind.name.length * 7;
      }
      size = {width: size.width, height: size.height + (kinds.length === 0 ? 0 : 24)};
    },
    colours: () => name => `var(${name})`,
    text: title => [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${Math.ceil(size.height)}" width="${size.width}" font-family="system-ui, sans-serif" role="img">`,
      `<title>${escaped(title)}</title>`,
      `<style>${svgColours()}</style>`,
      clips.length === 0 ? "" : `<defs>${clips.join("")}</defs>`,
      `<rect width="100%" height="100%" rx="8" fill="var(--card)"/>`,
      ...lines,
      `${open}</svg>`,
    ].filter(line => line !== "").join("\n") + "\n",
  };
}

/** The colours stand first in the page's own style, for light and for dark. */
function svgColours() {
  const rules = [...document.styleSheets[0].cssRules];
  const light = rules.find(rule => rule.selectorText === ":root").style;
  const dark = rules.find(rule => rule.media?.mediaText === "(prefers-color-scheme: dark)").cssRules[0].style;
  const all = style => [...style].map(name => `${name}:${style.getPropertyValue(name).trim()}`).join(";");
  return `svg{${all(light)}}@media (prefers-color-scheme: dark){svg{${all(dark)}}}`;
}

/** One part of a run, from one time to another, as a picture, with what the colours of the arrows mean below it. */
function pictureOf(model, hidden, sight, room) {
  const surface = svgSurface(room), diagram = diagramOn(surface, model, hidden);
  diagram.look(sight.from, sight.to);
  diagram.draw(model.end);
  surface.below(model.kinds.filter(kind => !hidden.has(kind.name)
      && model.letters.some(letter => letter.kind === kind.name && letter.sent <= sight.to && (letter.arrived ?? letter.sent) >= sight.from)));
  return surface.text(`${model.trace.title}, ${model.trace.nodes} nodes`);
}

/** The election after the first fault, or without one the first: from its first message to its last. */
function electionIn(model) {
  const fault = Math.min(...model.downs.map(down => down.from), ...model.pauses.map(pause => pause.from), ...model.bands.map(band => band.from));
  const after = Number.isFinite(fault) ? fault : 0;
  const letters = model.letters.filter(letter => !letter.background && letter.sent >= after);
  if (letters.length === 0) {
    return {from: Math.max(0, after - 100), to: Math.min(model.end, after + 500)};
  }
  const from = letters[0].sent, to = letters.reduce((last, letter) => Math.max(last, letter.arrived ?? letter.sent), from);
  const margin = (to - from) / 12;
  return {from: Math.max(0, from - margin), to: Math.min(model.end, to + margin)};
}
