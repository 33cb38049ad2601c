// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.security.auth.login.Configuration;

/**
 * Everything that a URL says. Mentions no class of ZooKeeper's client, so that looking for a backend loads none.
 *
 * @param paths where the znodes are, and who may touch those that this process creates
 * @param clientFile settings of ZooKeeper's own client, as its documentation names them
 * @param tick the servers' tickTime, which a client cannot ask for
 */
public record Settings(
        Servers servers, Paths paths, Login login, Optional<TlsFiles> tls, Optional<Path> clientFile, Duration tick) {
    /** As in ZooKeeper itself. */
    public static final Duration TICK = Duration.ofSeconds(2);

    private static final String BASE = "/tenure";
    private static final String RESERVED = "/zookeeper";
    private static final int PORT = 2181;
    private static final Pattern PATH = Pattern.compile("(?:/[^/\\p{Cntrl}]+)+");

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

    /**
     * As whom this client speaks to the servers; nobody, if both are empty.
     *
     * @param digest checked against ACLs and by nothing else: a wrong password is noticed where a right is missing
     * @param section of the JAAS configuration whose module ZooKeeper's client runs: DIGEST-MD5 or Kerberos
     */
    public record Login(Optional<StoreUrl.Login> digest, Optional<String> section) {
        /** For messages: the user, if there is one. */
        String shown() {
            return digest.map(user -> "user '" + user.user() + "'")
                    .or(() -> section.map(name -> "the JAAS section '" + name + "'"))
                    .orElse("a client without a login");
        }

        /** The client itself only says that the login failed. */
        void checkSection() {
            try {
                if (section.isPresent()
                        && Configuration.getConfiguration().getAppConfigurationEntry(section.get()) == null) {
                    throw StoreUrl.refused(shown() + " is not in the file that java.security.auth.login.config names");
                }
            } catch (SecurityException unreadable) {
                throw StoreUrl.refused(shown() + " cannot be read: " + unreadable.getMessage());
            }
        }
    }

    /** For people: the servers and the place. */
    public String shown() {
        return "zookeeper://" + servers + servers.chroot + paths.base();
    }

    /** {@code zk://[user:password@]host[:port],host[:port]…/base?options}. */
    public static Settings parse(BackendUrl text) {
        StoreUrl url = StoreUrl.of(
                text,
                "zk://host1:2181,host2:2181/path",
                Set.of("acl", "auth", "chroot", "client", "elections", "jaas", "tick"));
        Login login = login(url);
        List<String> servers =
                url.servers(PORT).stream().map(StoreUrl.Server::toString).toList();
        String chroot =
                url.option("chroot").map(path -> place("option chroot", path)).orElse("");
        return new Settings(
                new Servers(servers, chroot),
                paths(url, access(url, login)),
                login,
                url.tls(),
                url.file("client"),
                url.duration("tick", TICK, Duration.ofMinutes(1)));
    }

    private static Paths paths(StoreUrl url, Paths.Access access) {
        String path = url.path();
        String base = path.isEmpty() || path.equals("/") ? BASE : place("the path in the store URL", path);
        Optional<String> elections = url.option("elections").map(text -> place("option elections", text));
        if (elections.filter(base::equals).isPresent()) {
            throw StoreUrl.refused(
                    "the elections stand in " + base + ", where the store's own records are: name another path in the "
                            + "URL, such as zk://host" + base + "-tenure?elections=" + base);
        }
        return elections.map(parent -> Paths.verbatim(base, parent, access)).orElseGet(() -> Paths.below(base, access));
    }

    private static String place(String what, String text) {
        String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        boolean relative = List.of(path.split("/")).stream().anyMatch(part -> part.equals(".") || part.equals(".."));
        if (!PATH.matcher(path).matches() || relative) {
            throw StoreUrl.refused(what + " '" + text + "' is not a path of znodes: write /a or /a/b");
        }
        if (path.equals(RESERVED) || path.startsWith(RESERVED + "/")) {
            throw StoreUrl.refused(what + " is " + path + ", which ZooKeeper keeps for itself: choose another");
        }
        return path;
    }

    private static Login login(StoreUrl url) {
        Optional<StoreUrl.Login> user = url.login();
        return switch (url.option("auth").orElse(user.isPresent() ? "digest" : "")) {
            case "" -> new Login(Optional.empty(), Optional.empty());
            case "sasl" -> new Login(Optional.empty(), url.option("jaas").or(() -> Optional.of("Client")));
            case "digest" -> {
                if (user.filter(who -> !who.user().contains(":")).isEmpty()) {
                    throw StoreUrl.refused("digest needs a user (without a colon) and a password: write "
                            + "?auth=digest&user=NAME&password.file=FILE");
                }
                yield new Login(user, Optional.empty());
            }
            default -> throw StoreUrl.refused("auth must be digest or sasl");
        };
    }

    private static Paths.Access access(StoreUrl url, Login login) {
        boolean anonymous = login.digest.isEmpty() && login.section.isEmpty();
        return switch (url.option("acl").orElse(anonymous ? "open" : "creator")) {
            case "open" -> Paths.Access.OPEN;
            case "creator" -> {
                if (anonymous) {
                    throw StoreUrl.refused("acl=creator needs somebody to be the creator: add ?auth=digest&user=…");
                }
                yield Paths.Access.CREATOR;
            }
            default -> throw StoreUrl.refused("acl must be open or creator");
        };
    }
}
