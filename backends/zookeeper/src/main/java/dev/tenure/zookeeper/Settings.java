package dev.tenure.zookeeper;

import dev.tenure.spi.support.TlsFiles;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a URL says. Knows no class of ZooKeeper's client, so that looking for a backend loads none.
 *
 * @param servers each as {@code host:port}
 * @param acl who may touch what this process creates
 */
record Settings(
        List<String> servers, Layout layout, Login login, Access acl, Optional<TlsFiles> tls, Lifetimes lifetimes) {
    enum Access {
        /** Anybody. */
        OPEN,
        /** Whoever created it, and nobody else. */
        CREATOR
    }

    Settings {
        servers = List.copyOf(servers);
    }

    String connectString() {
        return String.join(",", servers);
    }

    /** For people: the servers and the place. */
    String shown() {
        return "zookeeper://" + connectString() + layout.base();
    }
}
