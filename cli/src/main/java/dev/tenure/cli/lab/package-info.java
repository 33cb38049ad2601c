/**
 * What runs in virtual time. {@code tenure lab}: the classic algorithms, run, checked, compared and explained; here options
 * become an experiment, and a trace becomes text, JSON or a page. {@code tenure sim}: the production engine under simulated
 * faults; here options become worlds, and a report becomes text or JSON. The algorithms, their world and the simulator are
 * modules of their own. Read {@link dev.tenure.cli.lab.LabCommand} and {@link dev.tenure.cli.lab.SimCommand} first.
 */
@NullMarked
package dev.tenure.cli.lab;

import org.jspecify.annotations.NullMarked;
