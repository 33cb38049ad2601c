/**
 * What the members of a group have in common: who they are, by which algorithm and in which times they elect, and how they prove
 * themselves. All of it stands in the store URL, and members that differ refuse each other. Read {@link
 * dev.tenure.peers.group.PeersSettings} first, then {@code AlgorithmAdapter}.
 */
@NullMarked
package dev.tenure.peers.group;

import org.jspecify.annotations.NullMarked;
