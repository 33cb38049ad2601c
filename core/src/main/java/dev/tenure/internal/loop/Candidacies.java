package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The candidacies of one client that have not retired: entered and struck by any thread, looked through by the loop. */
public final class Candidacies {
    private final Map<ElectionName, LiveCandidacy> byElection = new ConcurrentHashMap<>();

    /** Returns whether it is the only one in its election. */
    public boolean enter(LiveCandidacy candidacy) {
        return byElection.putIfAbsent(candidacy.election(), candidacy) == null;
    }

    void strike(LiveCandidacy candidacy) {
        byElection.remove(candidacy.election(), candidacy);
    }

    /** Also if it still warms up, or is being released. */
    Optional<LiveCandidacy> of(ElectionName election) {
        return Optional.ofNullable(byElection.get(election));
    }

    /** Those that still warm up included. */
    public List<LiveCandidacy> all() {
        return List.copyOf(byElection.values());
    }

    /** On the loop. */
    Stream<Candidate> standing() {
        return byElection.values().stream().filter(LiveCandidacy::stands).map(LiveCandidacy::candidate);
    }

    /** On the loop. */
    Optional<Candidate> standing(ElectionName election) {
        return Optional.ofNullable(byElection.get(election))
                .filter(LiveCandidacy::stands)
                .map(LiveCandidacy::candidate);
    }
}
