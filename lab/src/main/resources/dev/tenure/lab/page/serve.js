"use strict";

/** The same page, asked for live: choose, run again, and click into the diagram to let something fail there. */
function serveRuns(choices) {
  const form = document.getElementById("recipe"), menu = document.getElementById("menu"), canvas = document.getElementById("diagram");
  const fields = {}, problem = document.createElement("p");
  let run = null;

  function field(name, element, label) {
    const around = document.createElement("label");
    element.name = name;
    element.id = `recipe-${name}`;
    around.append(`${label} `, element);
    fields[name] = element;
    form.append(around);
    return around;
  }

  function build() {
    const algorithm = document.createElement("select");
    algorithm.append(...choices.algorithms.map(name => new Option(name, name)));
    const faults = Object.assign(document.createElement("input"), {type: "text", size: 48, placeholder: "crash 5@1s; partition 1,2|3-5@2s..4s"});
    field("algorithm", algorithm, "algorithm");
    field("nodes", Object.assign(document.createElement("input"), {type: "number", min: 1, max: 99, value: 5}), "nodes");
    field("seed", Object.assign(document.createElement("input"), {type: "number", min: 0, value: 1}), "seed");
    field("faults", faults, "faults").className = "faults";
    faults.style.width = "80%";
    const go = Object.assign(document.createElement("button"), {type: "submit", textContent: "run"});
    const another = Object.assign(document.createElement("button"), {type: "button", textContent: "another seed"});
    another.addEventListener("click", () => { fields.seed.value = Number(fields.seed.value) + 1; ask(); });
    problem.className = "problem";
    form.append(go, another, problem);
    form.hidden = false;
    form.addEventListener("submit", event => { event.preventDefault(); ask(); });
    algorithm.addEventListener("change", ask);
  }

  async function ask() {
    const query = new URLSearchParams(Object.entries(fields).map(([name, element]) => [name, element.value]));
    const reply = await fetch(`run?${query}`).catch(() => null);
    if (reply === null || !reply.ok) {
      problem.textContent = reply === null ? "the lab does not answer: is tenure lab serve still running?" : await reply.text();
      return;
    }
    problem.textContent = "";
    run?.end();
    run = showRun(await reply.json());
    listenForFaults(run);
  }

  function listenForFaults(current) {
    let down = null;
    current.on(canvas, "pointerdown", event => { down = event.offsetX; menu.hidden = true; });
    current.on(canvas, "pointerup", event => {
      const node = current.diagram.nodeAt(event.offsetY), time = current.diagram.timeAt(event.offsetX);
      if (Math.abs(event.offsetX - down) < 4 && node !== null && time >= 0) {
        offer(node, Math.round(time), event.clientX, event.clientY);
      }
    });
    current.on(canvas, "keydown", event => {
      if (event.key === "f") {
        event.preventDefault();
        const time = current.diagram.moment() >= current.diagram.sight.to ? current.diagram.sight.to / 2 : current.diagram.moment();
        const box = canvas.getBoundingClientRect();
        offer(current.diagram.leaderAt(time), Math.round(time), box.left + box.width / 2, box.top + box.height / 3);
        menu.querySelector("button").focus();
      }
    });
    current.on(menu, "keydown", event => {
      const items = [...menu.querySelectorAll("button")], step = {ArrowDown: 1, ArrowUp: items.length - 1}[event.key];
      if (step !== undefined) {
        event.preventDefault();
        items[(items.indexOf(document.activeElement) + step) % items.length].focus();
      }
    });
    current.on(document, "keydown", event => {
      if (event.key === "Escape" && !menu.hidden) {
        menu.hidden = true;
        canvas.focus();
      }
    });
  }

  function offer(node, time, left, top) {
    const faults = [
      ["crashes", `crash ${node}@${time}ms`],
      ["starts again", `recover ${node}@${time}ms`],
      ["is paused for a second", `pause ${node}@${time}ms..${time + 1000}ms`],
      ["is cut off for a second", `partition ${node}|*@${time}ms..${time + 1000}ms`],
      ["hears, but is not heard, for a second", `one-way ${node}>*@${time}ms..${time + 1000}ms`],
    ];
    const title = document.createElement("b");
    title.textContent = `at ${millis(time)}, node ${node}`;
    menu.replaceChildren(title, ...faults.map(([label, text]) => {
      const item = Object.assign(document.createElement("button"), {type: "button", textContent: label});
      item.setAttribute("role", "menuitem");
      item.addEventListener("click", () => {
        menu.hidden = true;
        fields.faults.value = [...fields.faults.value.split(";").map(each => each.trim()).filter(each => each), text].join("; ");
        ask();
      });
      return item;
    }));
    menu.style.left = `${Math.min(left, window.innerWidth - 280)}px`;
    menu.style.top = `${Math.min(top, window.innerHeight - 220)}px`;
    menu.hidden = false;
  }

  build();
  return ask();
}
