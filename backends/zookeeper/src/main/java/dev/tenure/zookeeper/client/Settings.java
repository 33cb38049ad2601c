package dev.tenure.zookeeper.client;

import dev.tenure.spi.support.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Everything that a URL says. Mentions no class of ZooKeeper's client, so that looking for a backend loads none.
 *
 * @param paths where the znodes are, and who may touch those that this process creates
 * @param clientFile settings of ZooKeeper's own client, as its documentation names them
 * @param tick the servers' tickTime, which a client cannot ask for
 */
public record Settings(
        Servers servers, Paths paths, Login login, Optional<TlsFiles> tls, Optional<Path> clientFile, Duration tick) {

    /**
     * @param addresses each as {@code host:port}
     * @param chroot the path below which everything is, for ZooKeeper's client; may be empty
     */
    public record Servers(List<String> addresses, String chroot) {
        public Servers {
            addresses = List.copyOf(addresses);
        }

        @Override
        public String toString() {
            return String.join(",", addresses);
        }
    }

    /** For people: the servers and the place. */
    public String shown() {
        return "zookeeper://" + servers + servers.chroot + paths.base();
    }
}
