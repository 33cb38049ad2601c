package dev.tenure.peers;

import java.util.Optional;

/** What a member must not forget of an election: the term it is in, and whom it has voted for in it. */
record Ballot(long term, Optional<Integer> vote) {}
