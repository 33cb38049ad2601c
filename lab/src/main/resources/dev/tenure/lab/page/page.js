"use strict";

/** Puts the parts together: the diagram, the moment that it shows, the list, and those who turn the knobs. */
function showRun(trace) {
  const byId = id => document.getElementById(id);
  const model = modelOf(trace);
  const hidden = new Set(trace.nodes > 9 ? model.kinds.filter(kind => kind.background).map(kind => kind.name) : []);
  const diagram = diagramOn(canvasSurface(byId("diagram")), model, hidden);
  const controller = new AbortController();
  const on = (target, event, handler, options = {}) => target.addEventListener(event, handler, {...options, signal: controller.signal});
  let now = model.end, playing = false, frame = 0;

  function show(moment) {
    now = Math.max(0, Math.min(model.end, moment));
    diagram.draw(now);
    drawOverview();
    byId("scrub").value = Math.round(now / model.end * 10000);
    byId("clock").textContent = millis(now);
    tellWhatIsPast();
  }

  function go(moment) {
    diagram.follow(moment);
    show(moment);
  }

  // ---- the head

  function tellHead() {
    const first = trace.summary.firstLeaderMs;
    document.title = `${trace.title}, ${trace.nodes} nodes: Tenure lab`;
    byId("title").textContent = `${trace.title}, ${trace.nodes} nodes`;
    const leader = first === null ? "nobody was elected" : `a leader after ${millis(first)}`;
    const faults = trace.faults.length === 0 ? "no faults" : trace.faults.join("; ");
    byId("summary").textContent = `${leader}, ${trace.summary.messages} messages; ${faults}; seed ${trace.seed}`;
    const both = trace.summary.twoAtOnceMs;
    const stale = trace.summary.staleWrites;
    byId("verdict").textContent = model.overlaps.length === 0 ? "never two leaders at once"
        : `two leaders at once for ${millis(both)}${stale === 0 ? "" : `, ${stale} stale ${stale === 1 ? "write" : "writes"}`}`;
    byId("verdict").classList.toggle("two", model.overlaps.length > 0);
  }

  function tellTerms() {
    const rows = model.reigns.slice(0, 40).map(reign => {
      const belief = model.beliefs.find(each => each.own && reignOf(each) === reign);
      const row = document.createElement("tr"), name = document.createElement("td"), who = document.createElement("td");
      const swatch = document.createElement("i");
      swatch.style.background = model.colourOf(belief);
      name.append(swatch, `${belief.term === "0" ? "leader" : `term ${belief.term}`}${roleOf(belief)}`);
      who.textContent = `node ${belief.node}`;
      row.append(name, who);
      return row;
    });
    byId("terms").replaceChildren(...rows);
    byId("honesty").replaceChildren(...trace.about.map(sentence => {
      const paragraph = document.createElement("p");
      paragraph.textContent = sentence;
      return paragraph;
    }));
  }

  function tellKinds() {
    byId("legend").replaceChildren(...model.kinds.map(kind => {
      const chip = document.createElement("button"), swatch = document.createElement("i");
      chip.type = "button";
      swatch.style.background = kind.colour;
      chip.append(swatch, `${kind.name} ${kind.count}`);
      chip.setAttribute("aria-pressed", String(!hidden.has(kind.name)));
      on(chip, "click", () => {
        hidden.has(kind.name) ? hidden.delete(kind.name) : hidden.add(kind.name);
        chip.setAttribute("aria-pressed", String(!hidden.has(kind.name)));
        show(now);
      });
      return chip;
    }));
  }

  /** Only what there is in this run. */
  function tellSigns() {
    const signs = [
      ["leads", "leads", model.reigns.length > 0],
      ["follows", "follows", model.roles.length === 1 && model.beliefs.some(each => !each.own && each.leader !== null)],
      ["two", "two leaders at once", model.overlaps.length > 0],
      ["paused", "paused", model.pauses.length > 0],
      ["down", "crashes, and is down", model.downs.length > 0],
      ["cut", "the network is disturbed", model.bands.length > 0],
      ["lost", "a message that is lost", model.letters.some(each => each.arrived === null)],
      ["stale", "a write with an old term", model.writes.some(each => each.stale)],
    ];
    byId("signs").replaceChildren(...signs.filter(([, , there]) => there).map(([name, words]) => {
      const sign = document.createElement("span"), picture = document.createElement("i");
      picture.className = name;
      sign.append(picture, words);
      return sign;
    }));
  }

  // ---- the list

  const rows = model.happenings.slice(0, 2000).map(happening => {
    const row = document.createElement("li"), time = document.createElement("time"), text = document.createElement("span");
    time.textContent = millis(happening.at);
    text.textContent = happening.text;
    row.classList.toggle("alarm", happening.alarm === true);
    row.append(time, text);
    on(row, "click", () => go(happening.at));
    return {row, happening};
  });

  function tellWhatIsPast() {
    let last = null;
    for (const each of rows) {
      const past = each.happening.at <= now;
      each.row.classList.toggle("later", !past);
      each.row.classList.remove("now");
      last = past ? each : last;
    }
    if (last !== null && now < model.end) {
      last.row.classList.add("now");
      last.row.scrollIntoView({block: "nearest"});
    }
  }

  function step(direction) {
    pause();
    const times = model.happenings.map(happening => happening.at);
    const next = direction > 0 ? times.find(time => time > now + 1e-6) ?? model.end
        : times.reverse().find(time => time < now - 1e-6) ?? 0;
    go(next);
  }

  // ---- the overview

  function drawOverview() {
    const canvas = byId("overview"), pen = canvas.getContext("2d"), dense = window.devicePixelRatio || 1;
    const wide = canvas.parentElement.clientWidth - 20, high = 44, lane = (high - 8) / model.lanes.size;
    const {left, right} = diagram.margins, style = getComputedStyle(document.documentElement);
    const x = time => left + time / model.end * (wide - left - right);
    canvas.width = wide * dense;
    canvas.height = high * dense;
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.fillStyle = style.getPropertyValue("--faint");
    pen.fillRect(left, 0, wide - left - right, high);
    for (const belief of model.beliefs.filter(each => each.own)) {
      pen.fillStyle = model.colourOf(belief);
      const top = 4 + lane * model.lanes.get(belief.node);
      pen.fillRect(x(belief.from), top, Math.max(1, x(belief.to) - x(belief.from)), Math.max(3, lane - 1));
    }
    pen.fillStyle = style.getPropertyValue("--alarm-wash");
    model.shades.forEach(shade => pen.fillRect(x(shade.from), 0, Math.max(2, x(shade.to) - x(shade.from)), high));
    pen.strokeStyle = style.getPropertyValue("--focus");
    pen.lineWidth = 2;
    pen.strokeRect(x(diagram.sight.from) + 1, 1, x(diagram.sight.to) - x(diagram.sight.from) - 2, high - 2);
  }

  // ---- playing

  function play() {
    playing = true;
    face("pause", "M4 3h3v10H4zM9 3h3v10H9z");
    if (now >= model.end) {
      now = 0;
    }
    let before = performance.now();
    const tick = moment => {
      const speed = Number(byId("speed").value);
      go(Math.min(model.end, now + (moment - before) * speed));
      before = moment;
      if (now >= model.end) {
        pause();
      } else if (playing) {
        frame = requestAnimationFrame(tick);
      }
    };
    frame = requestAnimationFrame(tick);
  }

  function pause() {
    playing = false;
    cancelAnimationFrame(frame);
    face("play", "M4 2l9 6-9 6z");
  }

  function face(label, path) {
    byId("play").setAttribute("aria-label", label);
    byId("play").querySelector("path").setAttribute("d", path);
  }

  // ---- hands

  function listen() {
    const canvas = byId("diagram"), tip = byId("tip"), keys = {" ": () => playing ? pause() : play(), ArrowLeft: () => step(-1), ArrowRight: () => step(1), "0": showAll};
    let dragged = null;
    on(byId("play"), "click", () => playing ? pause() : play());
    on(byId("back"), "click", () => step(-1));
    on(byId("forth"), "click", () => step(1));
    on(byId("fit"), "click", showAll);
    on(byId("save"), "click", save);
    on(byId("scrub"), "input", event => { pause(); show(event.target.value / 10000 * model.end); });
    on(window, "resize", () => { diagram.resize(); show(now); });
    on(matchMedia("(prefers-color-scheme: dark)"), "change", () => show(now));
    on(document, "keydown", event => {
      if (!["INPUT", "SELECT", "TEXTAREA", "BUTTON"].includes(event.target.tagName) && keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
    on(canvas, "wheel", event => {
      event.preventDefault();
      const time = diagram.timeAt(event.offsetX), factor = event.deltaY > 0 ? 1.2 : 1 / 1.2;
      diagram.look(time - (time - diagram.sight.from) * factor, time + (diagram.sight.to - time) * factor);
      show(now);
    }, {passive: false});
    on(canvas, "pointerdown", event => { dragged = {x: event.offsetX, ...diagram.sight}; canvas.setPointerCapture(event.pointerId); });
    on(canvas, "pointerup", () => { dragged = null; });
    on(canvas, "pointermove", event => {
      if (dragged !== null && event.buttons !== 0) {
        const moved = diagram.timeAt(dragged.x) - diagram.timeAt(event.offsetX);
        diagram.look(dragged.from + moved, dragged.to + moved);
        show(now);
      }
      const text = dragged === null ? diagram.under(event.offsetX, event.offsetY) : null;
      tip.hidden = text === null;
      tip.textContent = text ?? "";
      tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 260)}px`;
      tip.style.top = `${event.clientY + 16}px`;
    });
    on(canvas, "pointerleave", () => { tip.hidden = true; });
    on(byId("overview"), "click", event => {
      const {left, right} = diagram.margins, wide = byId("overview").clientWidth - left - right;
      const time = Math.max(0, Math.min(1, (event.offsetX - left) / wide)) * model.end, half = (diagram.sight.to - diagram.sight.from) / 2;
      diagram.look(time - half, time + half);
      show(time);
    });
  }

  function save() {
    const room = {width: byId("diagram").clientWidth, height: byId("diagram").clientHeight};
    const picture = new Blob([pictureOf(model, hidden, diagram.sight, room)], {type: "image/svg+xml"});
    const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(picture), download: `${trace.algorithm}.svg`});
    link.click();
    URL.revokeObjectURL(link.href);
  }

  function showAll() {
    diagram.look(0, model.end);
    show(model.end);
  }

  tellHead();
  tellTerms();
  tellKinds();
  tellSigns();
  byId("log").replaceChildren(...rows.map(each => each.row));
  listen();
  show(model.end);
  return {end: () => { pause(); controller.abort(); }, diagram, on};
}
