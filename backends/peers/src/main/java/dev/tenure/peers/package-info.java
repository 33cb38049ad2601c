/**
 * Elections among the members of a small group, without a store: the machines of {@code algorithms} over TCP.
 *
 * <p>{@code PeersBackend} answers calls. {@code Member} is this process as a member of its group, {@code PeerObserver} one that only asks.
 * {@code PeerConnections} has its connections to the others, {@code Journal} its votes, and there is one {@code Contest} for each election
 * that it has heard of. Everything but connections and disk happens on the loop of the host.
 */
@NullMarked
package dev.tenure.peers;

import org.jspecify.annotations.NullMarked;
