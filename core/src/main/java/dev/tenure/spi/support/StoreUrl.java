// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A store URL that names servers, {@code scheme://[user[:password]@]host[:port],…/path?option=value&…}, or a path on this machine,
 * {@code scheme:/path?option=value&…}. Every method that reads something refuses what cannot work with a {@link BackendException}
 * that says what to write instead. No message shows a password.
 *
 * <p>Understood for every store that has servers: {@code user}, {@code password} and {@code password.file} by {@link #login}, {@code tls}, {@code tls.ca},
 * {@code tls.cert}, {@code tls.key} and {@code tls.password.file} by {@link #tls}.
 */
public final class StoreUrl {
    private static final Set<String> OPTIONS =
            Set.of("user", "password", "password.file", "tls", "tls.ca", "tls.cert", "tls.key", "tls.password.file");
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^\\s:@\\[\\]]+)(?::([0-9]{1,5}))?");
    private static final int PORT_MAX = 65_535;

    private final BackendUrl url;
    private final String example;
    private final String userInfo;
    private final String servers;
    private final String path;

    private StoreUrl(BackendUrl url, String place, String example) {
        this.url = url;
        this.example = example;
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        int at = authority.lastIndexOf('@');
        this.userInfo = at < 0 ? "" : authority.substring(0, at);
        this.servers = authority.substring(at + 1);
        this.path = slash < 0 ? "" : place.substring(slash);
    }

    /**
     * A URL that names servers.
     *
     * @param example what such a URL looks like, for people who wrote another one
     * @param more the options that this store knows besides those of every store
     */
    public static StoreUrl of(BackendUrl url, String example, Set<String> more) {
        Set<String> known = new TreeSet<>(OPTIONS);
        known.addAll(more);
        url.refuseOptionsBut(known);
        if (!url.rest().startsWith("//")) {
            throw refused("'" + url + "' names no server: write " + example);
        }
        return new StoreUrl(url, url.rest().substring(2), example);
    }

    /**
     * A URL that names a path on this machine, which {@link #path} returns. It has neither servers nor a login nor TLS.
     *
     * @param example what such a URL looks like, for people who wrote another one
     * @param options all that this store knows
     */
    public static StoreUrl ofPath(BackendUrl url, String example, Set<String> options) {
        url.refuseOptionsBut(options);
        if (!url.rest().startsWith("/") || url.rest().startsWith("//")) {
            throw refused("'" + url + "' does not name a path from the root: write " + example);
        }
        return new StoreUrl(url, url.rest(), example);
    }

    /** One server; an IPv6 address has its brackets. */
    public record Server(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** In the order of the URL; a server that names no port has the usual one. */
    public List<Server> servers(int usualPort) {
        List<Server> all = new ArrayList<>();
        for (String server : servers.split(",", -1)) {
            Matcher parts = SERVER.matcher(server);
            if (!parts.matches()) {
                throw refused("'" + url + "' names a server that cannot be understood: write " + example);
            }
            int port = parts.group(2) == null ? usualPort : Integer.parseInt(parts.group(2));
            if (port < 1 || port > PORT_MAX) {
                throw refused("port " + port + " in '" + url + "' is outside 1.." + PORT_MAX);
            }
            all.add(new Server(parts.group(1), port));
        }
        return List.copyOf(all);
    }

    /** As it is written, with the slash that it begins with; empty if there is none. */
    public String path() {
        return path;
    }

    /** A user with its password. */
    public record Login(String user, String password) {
        @Override
        public String toString() {
            return user; // never the password
        }
    }

    /** Options go before what stands in front of the servers, and a file before a password that everybody can see. */
    public Optional<Login> login() {
        return login("");
    }

    /** @param usualUser who has a password that stands without a user; empty if there is no such user */
    public Optional<Login> login(String usualUser) {
        int colon = userInfo.indexOf(':');
        String inUrl = colon < 0 ? "" : BackendUrl.decodedPart(userInfo.substring(colon + 1));
        String user = option("user")
                .orElseGet(() -> BackendUrl.decodedPart(colon < 0 ? userInfo : userInfo.substring(0, colon)));
        String password = secret("password.file").or(() -> option("password")).orElse(inUrl);
        if (user.isEmpty() && !password.isEmpty() && !usualUser.isEmpty()) {
            return Optional.of(new Login(usualUser, password));
        }
        if (user.isEmpty() && !password.isEmpty()) {
            throw refused("there is a password but no user: add ?user=NAME to the store URL");
        }
        if (!user.isEmpty() && password.isEmpty()) {
            throw refused("user '" + user + "' has no password: add ?password.file=FILE to the store URL");
        }
        return user.isEmpty() ? Optional.empty() : Optional.of(new Login(user, password));
    }

    /** Empty if the store is spoken to without TLS. */
    public Optional<TlsFiles> tls() {
        boolean named = Stream.of("tls.ca", "tls.cert", "tls.key")
                .anyMatch(name -> option(name).isPresent());
        boolean wanted = flag("tls", named);
        if (named && !wanted) {
            throw refused("the store URL says tls=false and names certificates");
        }
        if (option("tls.key").isPresent() && option("tls.cert").isEmpty()) {
            throw refused("tls.cert and tls.key belong together: the store URL has only one of them");
        }
        String password = secret("tls.password.file").orElse("");
        return wanted
                ? Optional.of(new TlsFiles(file("tls.ca"), file("tls.cert"), file("tls.key"), password))
                : Optional.empty();
    }

    /** The value of this option, decoded. */
    public Optional<String> option(String name) {
        return url.option(name);
    }

    /** {@code true} or {@code on}, {@code false} or {@code off}. */
    public boolean flag(String name, boolean usual) {
        String value = option(name).orElse(usual ? "true" : "false");
        return switch (value) {
            case "true", "on" -> true;
            case "false", "off" -> false;
            default -> throw refused("option " + name + " '" + value + "' must be true or false");
        };
    }

    /** The value of this option, above zero and at most this long; the usual one if the URL does not say. */
    public Duration duration(String name, Duration usual, Duration max) {
        Duration duration = url.duration(name).orElse(usual);
        if (duration.isZero() || duration.compareTo(max) > 0) {
            throw refused(name + " " + DurationText.format(duration) + " must be above 0s and at most "
                    + DurationText.format(max));
        }
        return duration;
    }

    /** The file that this option names; it has to be readable. */
    public Optional<Path> file(String name) {
        Optional<Path> file = option(name).map(Path::of);
        if (file.isPresent() && !Files.isReadable(file.get())) {
            throw refused("the file of " + name + " cannot be read: " + file.get());
        }
        return file;
    }

    /** What stands in the file that this option names. */
    private Optional<String> secret(String name) {
        return file(name).map(file -> {
            try {
                return Files.readString(file).strip();
            } catch (IOException unreadable) {
                throw refused("the file of " + name + " is no text: " + file);
            }
        });
    }

    /**
     * Where programs of this user keep their state, as the XDG specification has it: a state home that is not absolute is ignored. Empty
     * if there is no home directory.
     */
    public static Optional<Path> stateHome(Map<String, String> environment) {
        String stateHome = environment.getOrDefault("XDG_STATE_HOME", "");
        if (stateHome.startsWith("/")) {
            return Optional.of(Path.of(stateHome));
        }
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        return home.startsWith("/") ? Optional.of(Path.of(home, ".local", "state")) : Optional.empty();
    }

    /** For what only one store can refuse. */
    public static BackendException refused(String sentence) {
        return BackendException.misconfigured(sentence);
    }

    /** As people may see it. */
    @Override
    public String toString() {
        return url.toString();
    }
}
