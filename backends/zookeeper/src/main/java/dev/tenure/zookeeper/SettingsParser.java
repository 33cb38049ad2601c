package dev.tenure.zookeeper;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.zookeeper.client.Paths;
import dev.tenure.zookeeper.client.Settings;
import dev.tenure.zookeeper.client.Settings.Login;
import dev.tenure.zookeeper.session.SessionTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** {@code zk://[user:password@]host[:port],host[:port]…/base?options}. */
final class SettingsParser {
    private static final String BASE = "/tenure";
    private static final String RESERVED = "/zookeeper";
    private static final int PORT = 2181;
    private static final Pattern PATH = Pattern.compile("(?:/[^/\\p{Cntrl}]+)+");

    private final StoreUrl url;

    private SettingsParser(StoreUrl url) {
        this.url = url;
    }

    static Settings parse(BackendUrl text) {
        StoreUrl url = StoreUrl.of(
                text,
                "zk://host1:2181,host2:2181/path",
                Set.of("acl", "auth", "chroot", "client", "elections", "jaas", "tick"));
        return new SettingsParser(url).settings();
    }

    private Settings settings() {
        Login login = login();
        List<String> servers =
                url.servers(PORT).stream().map(StoreUrl.Server::toString).toList();
        String chroot =
                url.option("chroot").map(text -> place("option chroot", text)).orElse("");
        return new Settings(
                new Settings.Servers(servers, chroot),
                paths(url.path(), access(login)),
                login,
                url.tls(),
                url.file("client"),
                url.duration("tick", SessionTimeouts.TICK, Duration.ofMinutes(1)));
    }

    private Paths paths(String path, Paths.Access access) {
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

    private Login login() {
        if (url.option("auth").filter("sasl"::equals).isPresent()) {
            return new Login.Sasl(url.option("jaas").orElse("Client"));
        }
        Optional<StoreUrl.Login> who = url.login();
        return switch (url.option("auth").orElse(who.isPresent() ? "digest" : "")) {
            case "" -> new Login.Nobody();
            case "digest" ->
                who.filter(login -> !login.user().contains(":"))
                        .map(Login.Digest::new)
                        .orElseThrow(
                                () -> StoreUrl.refused("digest needs a user (without a colon) and a password: write "
                                        + "?auth=digest&user=NAME&password.file=FILE"));
            default -> throw StoreUrl.refused("auth must be digest or sasl");
        };
    }

    private Paths.Access access(Login login) {
        boolean anonymous = login instanceof Login.Nobody;
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
