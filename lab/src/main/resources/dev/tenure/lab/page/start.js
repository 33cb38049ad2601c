"use strict";

const given = JSON.parse(document.getElementById("trace").textContent);
if (given.algorithms === undefined) {
  showRun(given);
} else {
  serveRuns(given);
}
