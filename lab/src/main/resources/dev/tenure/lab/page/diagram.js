"use strict";

/** Draws the part of a run that is in sight, as it was at one moment; what comes later is faint. */
function diagramOn(surface, model, hidden) {
  const GUTTER = 74, TOP = 46, RIGHT = 24, LANE_MAX = 104, LANE_MIN = 21, BAR = 13, LATER = 0.14, MANY_SIGNS = 150;
  const pen = surface.pen;
  const sight = {from: 0, to: model.end};
  let lane = LANE_MAX, width = 0, height = 0, now = model.end;

  function resize() {
    const room = surface.room();
    width = room.width;
    lane = Math.min(model.roles.length > 1 ? LANE_MAX * 2 : LANE_MAX, Math.max(LANE_MIN, (room.height - TOP) / model.lanes.size));
    height = TOP + lane * model.lanes.size + 8;
    surface.take(width, height);
  }

  const x = time => GUTTER + (time - sight.from) / (sight.to - sight.from) * (width - GUTTER - RIGHT);
  const timeAt = left => sight.from + (left - GUTTER) / (width - GUTTER - RIGHT) * (sight.to - sight.from);
  const y = node => TOP + lane * (model.lanes.get(node) + 0.5);
  const inSight = (from, to) => to >= sight.from && from <= sight.to;

  function draw(moment) {
    now = moment;
    const colour = surface.colours();
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    drawBands(colour);
    drawAxis(colour);
    drawLanes(colour);
    pen.save();
    pen.beginPath();
    pen.rect(GUTTER - 6, 0, width - GUTTER - RIGHT + 12, height);
    pen.clip();
    drawOverlaps(colour);
    drawLetters(colour);
    drawBeliefs(colour);
    drawFates(colour);
    drawWrites(colour);
    drawNow(colour);
    pen.restore();
  }

  function drawBands(colour) {
    surface.part("faults");
    for (const band of model.bands.filter(each => inSight(each.from, each.to))) {
      const from = Math.max(GUTTER, x(band.from)), to = Math.min(width - RIGHT, x(band.to));
      pen.fillStyle = colour("--cut");
      pen.fillRect(from, TOP, to - from, height - TOP - 8);
      pen.fillStyle = colour("--soft");
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      if (to - from > 60) {
        pen.save();
        pen.beginPath();
        pen.rect(from, 0, to - from, height);
        pen.clip();
        pen.fillText(band.text.replace(/@.*/, ""), from + 5, TOP - 8);
        pen.restore();
      }
    }
  }

  function drawAxis(colour) {
    surface.part("axis");
    const step = niceStep((sight.to - sight.from) / Math.max(3, width / 130));
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    for (let tick = Math.ceil(sight.from / step) * step; tick <= sight.to; tick += step) {
      pen.strokeStyle = colour("--faint");
      pen.lineWidth = 1;
      line(x(tick), TOP - 2, x(tick), height - 8);
      pen.fillStyle = colour("--soft");
      pen.fillText(millis(tick), x(tick), 14);
    }
  }

  function niceStep(rough) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map(times => times * power).find(step => step >= rough);
  }

  function drawLanes(colour) {
    surface.part("lifelines");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const node of model.lanes.keys()) {
      pen.fillStyle = colour("--ink");
      pen.font = `600 ${lane < 26 ? 11 : 13}px system-ui, sans-serif`;
      pen.fillText(lane < 30 ? node : `node ${node}`, GUTTER - 16, y(node));
      pen.strokeStyle = colour("--line");
      pen.lineWidth = 1.5;
      drawLife(node);
    }
    pen.font = "12px system-ui, sans-serif";
  }

  /** Who is down has no line, only a trace of one. */
  function drawLife(node) {
    let from = sight.from;
    for (const down of model.downs.filter(each => each.node === node && inSight(each.from, each.to))) {
      if (down.from > from) {
        line(x(from), y(node), x(down.from), y(node));
      }
      pen.setLineDash([2, 5]);
      line(x(Math.max(from, down.from)), y(node), x(Math.min(sight.to, down.to)), y(node));
      pen.setLineDash([]);
      from = down.to;
    }
    if (from < sight.to) {
      line(x(from), y(node), x(sight.to), y(node));
    }
  }

  function drawOverlaps(colour) {
    surface.part("overlaps");
    pen.fillStyle = colour("--alarm-wash");
    for (const shade of model.shades.filter(each => inSight(each.from, each.to) && each.from <= now)) {
      const from = x(shade.from), to = x(Math.min(now, shade.to));
      pen.fillRect(from, TOP, Math.max(2, to - from), height - TOP - 8);
    }
  }

  /** Own ones are bars, those in others lines. Where there are several roles, each has a place of its own in the lane, and only bars. */
  function drawBeliefs(colour) {
    surface.part("beliefs");
    const several = model.roles.length > 1;
    for (const belief of model.beliefs.filter(each => inSight(each.from, each.to) && each.leader !== null && (each.own || !several))) {
      for (const [from, to, alpha] of parts(belief.from, belief.to)) {
        pen.globalAlpha = alpha * (belief.own ? 1 : 0.55);
        pen.strokeStyle = pen.fillStyle = model.colourOf(belief);
        if (belief.own) {
          const [top, thick] = placeOf(belief.node, belief.role);
          bar(x(from), top, x(to) - x(from), thick);
        } else {
          pen.lineWidth = Math.min(3.5, lane / 7);
          line(x(from), y(belief.node), x(to), y(belief.node));
        }
      }
      pen.globalAlpha = 1;
      label(belief);
    }
    pen.strokeStyle = colour("--alarm");
    pen.lineWidth = 2;
    for (const overlap of model.overlaps.filter(each => inSight(each.from, each.to) && each.from <= now)) {
      for (const node of overlap.nodes) {
        const from = x(overlap.from), [top, thick] = placeOf(node, overlap.role);
        pen.strokeRect(from, top - 1, Math.max(2, x(Math.min(now, overlap.to)) - from), thick + 2);
      }
    }
  }

  /** Where the bar of a role lies in the lane of a node, and how thick it is. */
  function placeOf(node, role) {
    if (model.roles.length === 1) {
      const thick = Math.min(BAR, lane * 0.5);
      return [y(node) - thick / 2, thick];
    }
    const thick = lane * 0.84 / model.roles.length;
    return [y(node) - lane * 0.42 + thick * model.roles.indexOf(role), Math.max(1, thick - 1)];
  }

  function label(belief) {
    const [top, thick] = placeOf(belief.node, belief.role), left = Math.max(GUTTER, x(belief.from));
    const room = Math.min(x(Math.min(now, belief.to)), width) - left;
    if (belief.own && belief.from <= now && room > 92 && thick > 11) {
      pen.fillStyle = inkOn(model.colourOf(belief));
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      pen.font = "600 10.5px system-ui, sans-serif";
      pen.fillText(`leads${termOf(belief)}`, left + 6, top + thick / 2 + 0.5);
      pen.font = "12px system-ui, sans-serif";
    } else if (belief.own && model.roles.length > 1 && belief.from <= now && room > 30 && thick > 8.5) {
      pen.fillStyle = inkOn(model.colourOf(belief));
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      pen.font = `600 ${Math.min(10.5, thick + 1)}px system-ui, sans-serif`;
      pen.fillText(belief.role, left + 5, top + thick / 2 + 0.5);
      pen.font = "12px system-ui, sans-serif";
    }
  }

  /** White or black, whichever can be read better on it. */
  function inkOn(colour) {
    const [red, green, blue] = [1, 3, 5].map(at => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.21 ? "#1f2430" : "#fff";
  }

  /** What has been, and what is to come. */
  function parts(from, to) {
    if (to <= now) {
      return [[from, to, 1]];
    }
    return from >= now ? [[from, to, LATER]] : [[from, now, 1], [now, to, LATER]];
  }

  function bar(left, top, wide, high) {
    const shown = Math.max(1.5, wide);
    pen.beginPath();
    pen.roundRect(left, top, shown, high, Math.min(4, shown / 2));
    pen.fill();
  }

  function drawFates(colour) {
    surface.part("fates");
    for (const down of model.downs.filter(each => inSight(each.from, each.to))) {
      pen.globalAlpha = down.from <= now ? 1 : LATER;
      cross(x(down.from), y(down.node), 5, colour("--ink"));
    }
    for (const pause of model.pauses.filter(each => inSight(each.from, each.to))) {
      pen.globalAlpha = pause.from <= now ? 1 : LATER;
      const from = x(pause.from), wide = x(pause.to) - from, high = Math.min(18, lane * 0.7);
      hatch(from, y(pause.node) - high / 2, wide, high, colour("--soft"));
    }
    pen.globalAlpha = 1;
  }

  function hatch(left, top, wide, high, ink) {
    pen.save();
    pen.beginPath();
    pen.rect(left, top, wide, high);
    pen.clip();
    pen.strokeStyle = ink;
    pen.lineWidth = 1.2;
    for (let step = left - high; step < left + wide; step += 6) {
      line(step, top + high, step + high, top);
    }
    pen.strokeRect(left, top, wide, high);
    pen.restore();
  }

  function cross(left, top, arm, ink) {
    pen.strokeStyle = ink;
    pen.lineWidth = 2;
    line(left - arm, top - arm, left + arm, top + arm);
    line(left - arm, top + arm, left + arm, top - arm);
  }

  function drawLetters() {
    surface.part("letters");
    const letters = shownLetters();
    const signs = letters.filter(letter => letter.background).length > MANY_SIGNS ? 0.15 : 0.42;
    for (const letter of letters) {
      const [fromX, fromY, toX, toY] = flight(letter);
      pen.globalAlpha = letter.sent > now ? LATER : letter.background ? signs : 0.9;
      pen.strokeStyle = pen.fillStyle = model.kindColour.get(letter.kind);
      pen.lineWidth = letter.background ? 0.8 : 1.3;
      pen.setLineDash(letter.arrived === null ? [3, 3] : []);
      line(fromX, fromY, toX, toY);
      pen.setLineDash([]);
      if (letter.arrived === null) {
        cross(toX, toY, 2.5, pen.strokeStyle);
      } else {
        arrow(fromX, fromY, toX, toY, letter.background ? 3.5 : 6);
      }
      if (letter.sent <= now && letter.arrived !== null && letter.arrived > now) {
        const share = (now - letter.sent) / (letter.arrived - letter.sent);
        pen.globalAlpha = 1;
        pen.beginPath();
        pen.arc(fromX + (toX - fromX) * share, fromY + (toY - fromY) * share, 3.5, 0, 7);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
  }

  function shownLetters() {
    return model.letters.filter(letter => !hidden.has(letter.kind) && inSight(letter.sent, letter.arrived ?? letter.sent + 1));
  }

  /** A lost message ends on half of its way. */
  function flight(letter) {
    const down = y(letter.to) - y(letter.from);
    if (letter.arrived !== null) {
      return [x(letter.sent), y(letter.from), x(letter.arrived), y(letter.to)];
    }
    const side = Math.min(14, Math.abs(down) / 4);
    return [x(letter.sent), y(letter.from), x(letter.sent) + side, y(letter.from) + down / 2];
  }

  function arrow(fromX, fromY, toX, toY, size) {
    const turn = Math.atan2(toY - fromY, toX - fromX);
    pen.beginPath();
    pen.moveTo(toX, toY);
    pen.lineTo(toX - size * Math.cos(turn - 0.42), toY - size * Math.sin(turn - 0.42));
    pen.lineTo(toX - size * Math.cos(turn + 0.42), toY - size * Math.sin(turn + 0.42));
    pen.fill();
  }

  function drawWrites(colour) {
    surface.part("writes");
    for (const write of model.writes.filter(each => each.stale && inSight(each.at, each.at))) {
      pen.globalAlpha = write.at <= now ? 1 : LATER;
      pen.fillStyle = colour("--alarm");
      pen.beginPath();
      pen.arc(x(write.at), y(write.node), 3.4, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function drawNow(colour) {
    if (now < model.end) {
      pen.strokeStyle = colour("--focus");
      pen.lineWidth = 1.5;
      line(x(now), TOP - 8, x(now), height - 6);
    }
  }

  function line(fromX, fromY, toX, toY) {
    pen.beginPath();
    pen.moveTo(fromX, fromY);
    pen.lineTo(toX, toY);
    pen.stroke();
  }

  /** What lies under the pointer, in words. */
  function under(left, top) {
    const letter = nearestLetter(left, top);
    if (letter !== null) {
      const end = letter.arrived === null ? `lost: ${letter.lost}` : `arrives at ${millis(letter.arrived)}`;
      return `${letter.text}\n${letter.from} → ${letter.to}, sent at ${millis(letter.sent)}, ${end}`;
    }
    const node = nodeAt(top), time = timeAt(left);
    const belief = model.beliefs.find(each => each.node === node && each.leader !== null && each.from <= time && time <= each.to && isAt(each, top));
    if (belief === undefined) {
      return null;
    }
    const what = belief.own ? "believes that it leads" : `believes that ${belief.leader} leads`;
    return `${node} ${what}${roleOf(belief)}${termOf(belief)}\n${millis(belief.from)} to ${millis(belief.to)}`;
  }

  function isAt(belief, top) {
    const [from, thick] = placeOf(belief.node, belief.role);
    return model.roles.length === 1 ? Math.abs(top - y(belief.node)) <= 9 : from <= top && top <= from + thick + 1;
  }

  function nearestLetter(left, top) {
    let best = null, bestDistance = 5;
    for (const letter of shownLetters()) {
      const distance = distanceTo(left, top, flight(letter));
      if (distance < bestDistance) {
        best = letter;
        bestDistance = distance;
      }
    }
    return best;
  }

  function distanceTo(left, top, [fromX, fromY, toX, toY]) {
    const wide = toX - fromX, high = toY - fromY, length = wide * wide + high * high;
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((left - fromX) * wide + (top - fromY) * high) / length));
    return Math.hypot(left - fromX - share * wide, top - fromY - share * high);
  }

  function nodeAt(top) {
    const index = Math.floor((top - TOP) / lane);
    return [...model.lanes.keys()][index] ?? null;
  }

  /** Who leads then, or else the first node. */
  function leaderAt(time) {
    const belief = model.beliefs.find(each => each.own && each.from <= time && time < each.to);
    return belief === undefined ? [...model.lanes.keys()][0] : belief.node;
  }

  function look(from, to) {
    const span = Math.min(model.end, Math.max(model.end / 2000, to - from));
    sight.from = Math.max(0, Math.min(model.end - span, from));
    sight.to = sight.from + span;
  }

  /** Moves the part in sight so that this moment is in it. */
  function follow(moment) {
    const span = sight.to - sight.from;
    if (moment < sight.from || moment > sight.to) {
      look(moment - span / 4, moment + span * 3 / 4);
    }
  }

  resize();
  return {draw, resize, under, nodeAt, leaderAt, timeAt, margins: {left: GUTTER, right: RIGHT}, look, follow, sight, moment: () => now};
}
