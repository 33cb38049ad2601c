/**
 * Scripts of what sessions do, played against a model and against the real store: what is seen must be the same. Read {@link
 * dev.tenure.simulator.script.Script} first, then {@code ScriptRunner}.
 */
@NullMarked
package dev.tenure.simulator.script;

import org.jspecify.annotations.NullMarked;
