/** Single-decree Paxos, which agrees on who leads an epoch. */
@NullMarked
package dev.tenure.algorithms.paxos;

import org.jspecify.annotations.NullMarked;
