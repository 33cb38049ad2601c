package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.DurationText;
import dev.tenure.wire.Tls;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the URL says: {@code etcd://[user[:password]@]host[:port],…/folder?option=value&…}.
 *
 * @param shown the URL as it may be printed
 * @param timeout how long an answer is waited for
 */
record Settings(
        String shown, List<URI> endpoints, Keys keys, Optional<User> user, Optional<Tls> tls, Duration timeout) {
    private static final int PORT = 2379;
    private static final int PORT_MAX = 65_535;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Set<String> OPTIONS =
            Set.of("raw", "tls", "tls.ca", "tls.cert", "tls.key", "user", "password", "password.file", "timeout");

    record User(String name, String password) {
        Message login() {
            return new MessageWriter().text(1, name).text(2, password).done();
        }

        @Override
        public String toString() {
            return name; // never the password
        }
    }

    static Settings of(BackendUrl url) {
        url.refuseOptionsBut(OPTIONS);
        if (!url.rest().startsWith("//")) {
            throw refused("'" + url + "' names no server: write etcd://host:2379,host:2379/folder");
        }
        String place = url.rest().substring(2);
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        String path = slash < 0 ? "" : stripSlashes(decode(place.substring(slash + 1)));
        boolean raw = flag(url, "raw");
        if (path.isEmpty() && !raw) {
            path = "tenure";
        }
        int at = authority.lastIndexOf('@');
        Optional<User> user = user(url, at < 0 ? "" : authority.substring(0, at));
        Optional<Tls> tls = tls(url);
        List<URI> endpoints = endpoints(url, authority.substring(at + 1), tls.isPresent());
        Duration timeout = url.duration("timeout").orElse(TIMEOUT);
        if (timeout.isZero() || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
            throw refused("timeout " + DurationText.format(timeout) + " must be above 0s and at most 1m");
        }
        return new Settings(url.toString(), endpoints, new Keys(path, raw), user, tls, timeout);
    }

    private static List<URI> endpoints(BackendUrl url, String hosts, boolean secure) {
        List<URI> endpoints = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            try {
                URI uri = new URI((secure ? "https://" : "http://") + host);
                if (uri.getHost() == null || uri.getUserInfo() != null) {
                    throw new URISyntaxException("host", "no host name");
                }
                int port = uri.getPort() < 0 ? PORT : uri.getPort();
                if (port < 1 || port > PORT_MAX) {
                    throw refused("port " + port + " in '" + url + "' is outside 1.." + PORT_MAX);
                }
                endpoints.add(new URI(uri.getScheme(), null, uri.getHost(), port, null, null, null));
            } catch (URISyntaxException broken) {
                throw refused("'" + url
                        + "' names a server that cannot be understood: write etcd://host:2379,host:2379/folder");
            }
        }
        return List.copyOf(endpoints);
    }

    private static Optional<User> user(BackendUrl url, String info) {
        int colon = info.indexOf(':');
        String name = decode(colon < 0 ? info : info.substring(0, colon));
        Optional<String> inUrl = colon < 0 ? Optional.empty() : Optional.of(decode(info.substring(colon + 1)));
        String user = url.option("user").orElse(name);
        Optional<String> password = url.option("password.file").map(Settings::secretIn);
        String secret =
                password.or(() -> url.option("password")).or(() -> inUrl).orElse("");
        if (user.isEmpty()) {
            if (!secret.isEmpty()) {
                throw refused("there is a password but no user: add ?user=NAME to the store URL");
            }
            return Optional.empty();
        }
        if (secret.isEmpty()) {
            throw refused("user '" + user + "' has no password: add ?password.file=FILE to the store URL");
        }
        return Optional.of(new User(user, secret));
    }

    private static String secretIn(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException unreadable) {
            throw new BackendException(
                    Effect.NONE, Kind.MISCONFIGURED, "the password file " + file + " cannot be read", unreadable);
        }
    }

    private static Optional<Tls> tls(BackendUrl url) {
        Optional<Path> authorities = url.option("tls.ca").map(Path::of);
        Optional<Path> certificate = url.option("tls.cert").map(Path::of);
        Optional<Path> key = url.option("tls.key").map(Path::of);
        if (certificate.isPresent() != key.isPresent()) {
            throw refused("tls.cert and tls.key belong together: the store URL has only one of them");
        }
        boolean any = authorities.isPresent() || certificate.isPresent();
        if (any && url.option("tls").isPresent() && !flag(url, "tls")) {
            throw refused("the store URL says tls=false and names certificates");
        }
        return any || flag(url, "tls") ? Optional.of(new Tls(authorities, certificate, key)) : Optional.empty();
    }

    private static boolean flag(BackendUrl url, String name) {
        String value = url.option(name).orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw refused("option " + name + " '" + value + "' must be true or false");
        }
        return value.equals("true");
    }

    private static String stripSlashes(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (to > from && path.charAt(to - 1) == '/') {
            to--;
        }
        return path.substring(from, to);
    }

    private static String decode(String text) {
        try {
            // A plus is a plus here: only queries write a space that way.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw refused("the store URL has a '%' that begins no code: write %25 for the character itself");
        }
    }

    private static BackendException refused(String sentence) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, sentence);
    }
}
