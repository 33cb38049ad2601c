/**
 * {@code tenure lab}: the classic algorithms, run, checked, compared and explained. The algorithms and their world are in the
 * module {@code lab}; here options become an experiment, and a trace becomes text, JSON or a page. Read {@link
 * dev.tenure.cli.lab.LabCommand} first.
 */
@NullMarked
package dev.tenure.cli.lab;

import org.jspecify.annotations.NullMarked;
