"use strict";

/** The trace as the page needs it: what happened in one order, and a colour for each leader of each term. Times are milliseconds. */
function modelOf(trace) {
  const LEADERS = ["#4a74d9", "#e0902a", "#35a06c", "#9a63d1", "#c95f96", "#1d9fb2", "#8f8330", "#5d7f99",
    "#6b4f3a", "#0f766e", "#a3b18a", "#d4a5c9"];
  const KINDS = ["#7b8494", "#b0762f", "#4b8f6d", "#8b6bb5", "#3f86ad", "#a3616f", "#7d8a3a"];
  const end = trace.endMs;
  const lanes = new Map(trace.ring.map((node, index) => [node, index]));
  const beliefs = trace.beliefs.map(belief => ({...belief, from: belief.fromMs, to: belief.toMs, own: belief.leader === belief.node}));
  const letters = trace.messages.map(letter => ({...letter, sent: letter.sentMs, arrived: letter.arrivedMs, background: letter.signOfLife}));
  const marks = trace.marks.map(mark => ({...mark, at: mark.atMs}));
  const writes = trace.writes.map(write => ({...write, at: write.atMs}));
  const overlaps = trace.overlaps.map(overlap => ({...overlap, from: overlap.fromMs, to: overlap.toMs}));
  const reigns = [...new Set(beliefs.filter(belief => belief.own).sort((a, b) => a.from - b.from).map(reignOf))];
  const roles = [...new Set(beliefs.map(belief => belief.role))].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
  const kinds = [...new Set(letters.map(letter => letter.kind))].map((name, index) => {
    const all = letters.filter(letter => letter.kind === name);
    return {name, count: all.length, background: all[0].background, colour: KINDS[index % KINDS.length]};
  });

  return {
    trace, end, lanes, letters, beliefs, marks, writes, overlaps, reigns, kinds,
    shades: merged(overlaps),
    roles,
    bands: trace.faults.map(bandOf).filter(band => band !== null),
    colourOf: belief => LEADERS[Math.max(0, roles.length > 1 ? roles.indexOf(belief.role) : reigns.indexOf(reignOf(belief))) % LEADERS.length],
    downs: spells(marks, lanes, "crash", "start", end),
    pauses: spells(marks, lanes, "pause", "resume", end),
    kindColour: new Map(kinds.map(kind => [kind.name, kind.colour])),
    happenings: happenings(marks, beliefs, writes, overlaps),
  };
}

/** The times in which there are two leaders, of whatever role: they are in the order of their beginnings. */
function merged(overlaps) {
  const shades = [];
  for (const {from, to} of overlaps) {
    const last = shades[shades.length - 1];
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
    } else {
      shades.push({from, to});
    }
  }
  return shades;
}

/** Terms have a colour each; where there are none, leaders have; where there are several roles, those have. */
function reignOf(belief) {
  return `${belief.role} ${belief.term} ${belief.leader}`;
}

/** A fault of the network, from when to when. */
function bandOf(text) {
  const form = /^(partition|one-way|lossy|slow|flap|slow-disk|fragile) .*@(.+)\.\.(.+)$/.exec(text);
  return form === null ? null : {text, from: durationOf(form[2]), to: durationOf(form[3])};
}

function durationOf(text) {
  const units = {ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60000, h: 3600000};
  return [...text.matchAll(/([\d.]+)(ns|us|ms|s|m|h)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0);
}

/** From each mark of one kind to the next of the other kind at the same node. */
function spells(marks, lanes, begin, finish, end) {
  const found = [];
  for (const node of lanes.keys()) {
    let since = null;
    for (const mark of marks.filter(each => each.node === node)) {
      if (mark.kind === begin && since === null) {
        since = mark.at;
      } else if (mark.kind === finish && since !== null) {
        found.push({node, from: since, to: mark.at});
        since = null;
      }
    }
    if (since !== null) {
      found.push({node, from: since, to: end});
    }
  }
  return found;
}

/** What the list tells, and what one steps through. */
function happenings(marks, beliefs, writes, overlaps) {
  const words = {start: "starts", crash: "crashes", pause: "is paused", resume: "goes on"};
  const told = [...suspicions(marks), ...reconciliations(marks)];
  for (const mark of marks) {
    if (mark.kind === "network") {
      told.push({at: mark.at, text: mark.text});
    } else if (mark.kind in words && !(mark.kind === "start" && mark.at === 0)) {
      told.push({at: mark.at, node: mark.node, text: `${mark.node} ${words[mark.kind]} ${mark.text}`.trim()});
    }
  }
  for (const belief of beliefs.filter(each => each.own)) {
    told.push({at: belief.from, node: belief.node, text: `${belief.node} leads${roleOf(belief)}${termOf(belief)}`});
  }
  for (const overlap of overlaps) {
    told.push({at: overlap.from, alarm: true, text: `two leaders${roleOf(overlap)}: ${overlap.nodes.join(" and ")}, for ${millis(overlap.to - overlap.from)}`});
  }
  for (const write of writes.filter(each => each.stale)) {
    told.push({at: write.at, node: write.node, alarm: true, text: `${write.node} writes with the old term ${write.term}`});
  }
  return told.sort((a, b) => a.at - b.at);
}

/** Those who come to suspect the same nodes in the same instant are one row: with 25 nodes they would be hundreds. */
function suspicions(marks) {
  const byTime = new Map();
  for (const mark of marks.filter(each => each.kind === "suspect")) {
    const about = byTime.get(mark.at) ?? new Map();
    about.set(mark.node, [...about.get(mark.node) ?? [], suspectOf(mark)]);
    byTime.set(mark.at, about);
  }
  return [...byTime].flatMap(([at, about]) => {
    const bySuspects = new Map();
    for (const [node, suspects] of about) {
      const text = shortest(suspects);
      bySuspects.set(text, [...bySuspects.get(text) ?? [], node]);
    }
    return [...bySuspects].map(([text, nodes]) => ({at, node: nodes[0], text: `${shortest(nodes)} ${nodes.length === 1 ? "suspects" : "suspect"} ${text}`}));
  });
}

/** When all is well again, word of it comes to everybody from everybody: what follows shortly upon another is one row. */
function reconciliations(marks) {
  const bursts = [];
  for (const mark of marks.filter(each => each.kind === "trust")) {
    const last = bursts[bursts.length - 1];
    if (last !== undefined && mark.at - last.until < 25) {
      last.until = mark.at;
      last.nodes.add(suspectOf(mark));
    } else {
      bursts.push({at: mark.at, until: mark.at, nodes: new Set([suspectOf(mark)])});
    }
  }
  return bursts.map(({at, nodes}) => ({at, text: `${shortest(nodes)} ${nodes.size === 1 ? "is" : "are"} trusted again`}));
}

function suspectOf(mark) {
  return Number(mark.text.replace("node ", ""));
}

/** 1, 2, 3 and 5 are 1-3,5. */
function shortest(nodes) {
  const runs = [];
  for (const node of [...nodes].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last[1] === node - 1) {
      last[1] = node;
    } else {
      runs.push([node, node]);
    }
  }
  return runs.map(([from, to]) => from === to ? from : `${from}${to === from + 1 ? "," : "-"}${to}`).join(",");
}

function roleOf(belief) {
  return belief.role === "leader" ? "" : ` ${belief.role}`;
}

/** Bully and rings do not count; then there is nothing to tell. */
function termOf(belief) {
  return belief.term === "0" ? "" : `, term ${belief.term}`;
}

function millis(time) {
  return time >= 1000 ? `${(time / 1000).toFixed(2)} s` : `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
}
