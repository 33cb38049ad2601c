/** Contenders in processes of their own, which do as they are told and say when things happened. */
@NullMarked
package dev.tenure.bench.peers.seat;

import org.jspecify.annotations.NullMarked;
