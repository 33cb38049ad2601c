package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import java.util.List;

/** One real cluster of three servers, and who is measured on it. */
public interface Store extends AutoCloseable {
    String name();

    /** Tenure, the peer, and the floor under both. */
    Kind peer();

    Kind floor();

    default List<Kind> contenders() {
        return List.of(Kind.TENURE, peer(), floor());
    }

    /** Where a contender finds all servers. */
    String address(Kind kind);

    /** Where it finds one of them alone: 0 is the one that leads the cluster. */
    String address(Kind kind, int server);

    /** How many stand in elections now, leaders included, whoever they are. */
    long candidates();

    /** Requests of clients since the servers were started, by the servers' own count; messages in streams count too. */
    long requests();

    @Override
    void close();
}
