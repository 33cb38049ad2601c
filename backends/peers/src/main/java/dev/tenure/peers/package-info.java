/**
 * Elections among the members of a small group, without a store: the machines of {@code algorithms} over TCP. {@code Member} is this
 * process as one of its group, {@code PeerObserver} one that only asks; {@code ElectionInstance} is one election at a member, and
 * {@code ClaimGrants} says who at this member gets it. Read {@link dev.tenure.peers.PeersBackend} first: it answers the calls, all but
 * connections and disk on the loop of the host.
 */
@NullMarked
package dev.tenure.peers;

import org.jspecify.annotations.NullMarked;
