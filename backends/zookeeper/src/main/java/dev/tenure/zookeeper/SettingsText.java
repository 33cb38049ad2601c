package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code zk://[user:password@]host[:port],host[:port]…/base?options}. */
final class SettingsText {
    private static final String BASE = "/tenure";
    private static final String RESERVED = "/zookeeper";
    private static final int PORT = 2181;
    private static final Set<String> OPTIONS = Set.of(
            "acl",
            "auth",
            "elections",
            "jaas",
            "password",
            "password.file",
            "tick",
            "tls",
            "tls.ca",
            "tls.cert",
            "tls.password.file",
            "user");
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::([0-9]{1,5}))?");
    private static final Pattern PATH = Pattern.compile("(?:/[^/\\p{Cntrl}]+)+");

    private final BackendUrl url;

    private SettingsText(BackendUrl url) {
        this.url = url;
    }

    static Settings parse(BackendUrl url) {
        url.refuseOptionsBut(OPTIONS);
        return new SettingsText(url).settings();
    }

    private Settings settings() {
        if (!url.rest().startsWith("//")) {
            throw refused("'" + url + "' names no servers: write zk://host1:2181,host2:2181/path");
        }
        String rest = url.rest().substring(2);
        int slash = rest.indexOf('/', rest.lastIndexOf('@') + 1);
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        String path = slash < 0 ? "" : rest.substring(slash);
        int at = authority.lastIndexOf('@');
        Login login = login(at < 0 ? Optional.empty() : Optional.of(authority.substring(0, at)));
        return new Settings(
                servers(authority.substring(at + 1)),
                layout(path),
                login,
                acl(login),
                tls(),
                new Lifetimes(url.duration("tick").map(SettingsText::tick).orElse(Lifetimes.TICK)));
    }

    private List<String> servers(String text) {
        List<String> servers = new ArrayList<>();
        for (String server : text.split(",", -1)) {
            Matcher parts = SERVER.matcher(server);
            if (!parts.matches()) {
                throw refused("'" + url + "' names no server where one should stand: write host1:2181,host2:2181");
            }
            int port = parts.group(2) == null ? PORT : Integer.parseInt(parts.group(2));
            if (port < 1 || port > 65_535) {
                throw refused("port " + port + " in '" + url + "' is outside 1..65535");
            }
            servers.add(parts.group(1) + ":" + port);
        }
        return servers;
    }

    private Layout layout(String path) {
        String base = path.isEmpty() || path.equals("/") ? BASE : place("the path in the store URL", path);
        Optional<String> elections = url.option("elections").map(text -> place("option elections", text));
        if (elections.filter(base::equals).isPresent()) {
            throw refused(
                    "the elections stand in " + base + ", where the store's own records are: name another path in the "
                            + "URL, such as zk://host" + base + "-tenure?elections=" + base);
        }
        return elections.map(parent -> Layout.verbatim(base, parent)).orElseGet(() -> Layout.below(base));
    }

    private static String place(String what, String text) {
        String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        boolean relative = List.of(path.split("/")).stream().anyMatch(part -> part.equals(".") || part.equals(".."));
        if (!PATH.matcher(path).matches() || relative) {
            throw refused(what + " '" + text + "' is not a path of znodes: write /a or /a/b");
        }
        if (path.equals(RESERVED) || path.startsWith(RESERVED + "/")) {
            throw refused(what + " is " + path + ", which ZooKeeper keeps for itself: choose another");
        }
        return path;
    }

    private Login login(Optional<String> userInfo) {
        String scheme = url.option("auth")
                .orElse(userInfo.isPresent() || url.option("user").isPresent() ? "digest" : "");
        return switch (scheme) {
            case "" -> new Login.Nobody();
            case "digest" -> digest(userInfo);
            case "sasl" -> new Login.Sasl(url.option("jaas").orElse("Client"));
            default -> throw refused("auth '" + scheme + "' is neither digest nor sasl");
        };
    }

    private Login digest(Optional<String> userInfo) {
        String info = userInfo.orElse("");
        int colon = info.indexOf(':');
        String user = url.option("user").orElseGet(() -> decoded(colon < 0 ? info : info.substring(0, colon)));
        Optional<String> password = url.option("password")
                .or(() -> url.option("password.file").map(SettingsText::firstLine))
                .or(() -> colon < 0 ? Optional.empty() : Optional.of(decoded(info.substring(colon + 1))));
        if (user.isEmpty() || user.contains(":") || password.isEmpty()) {
            throw refused("digest needs a user (without a colon) and a password: write "
                    + "?auth=digest&user=NAME&password.file=FILE");
        }
        return new Login.Digest(user, new Secret(password.get()));
    }

    private Settings.Access acl(Login login) {
        boolean anonymous = login instanceof Login.Nobody;
        return switch (url.option("acl").orElse(anonymous ? "open" : "creator")) {
            case "open" -> Settings.Access.OPEN;
            case "creator" -> {
                if (anonymous) {
                    throw refused("acl=creator needs somebody to be the creator: add ?auth=digest&user=…");
                }
                yield Settings.Access.CREATOR;
            }
            default -> throw refused("acl must be open or creator");
        };
    }

    private Optional<Tls> tls() {
        String tls = url.option("tls").orElse(url.option("tls.ca").isPresent() ? "on" : "off");
        return switch (tls) {
            case "off" -> Optional.empty();
            case "on" ->
                Optional.of(new Tls(
                        url.option("tls.ca").map(SettingsText::readable),
                        url.option("tls.cert").map(SettingsText::readable),
                        url.option("tls.password.file").map(file -> new Secret(firstLine(file)))));
            default -> throw refused("tls must be on or off");
        };
    }

    private static Duration tick(Duration tick) {
        if (tick.isZero() || tick.compareTo(Duration.ofMinutes(1)) > 0) {
            throw refused("option tick must be the servers' tickTime, between 1ms and 1m");
        }
        return tick;
    }

    private static String readable(String file) {
        if (!Files.isReadable(Path.of(file))) {
            throw refused("cannot read " + file + ", which the store URL names");
        }
        return file;
    }

    private static String firstLine(String file) {
        try (var lines = Files.lines(Path.of(readable(file)), StandardCharsets.UTF_8)) {
            return lines.findFirst().orElse("");
        } catch (IOException failure) {
            throw refused("cannot read " + file + ", which the store URL names: " + failure.getMessage());
        }
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }
}
