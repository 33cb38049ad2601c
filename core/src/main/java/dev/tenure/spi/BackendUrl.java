// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code scheme:rest?option=value&…}. Never shown whole: {@link #toString()} leaves out passwords and options.
 *
 * @param rest between the scheme's colon and the question mark, such as {@code //host:2379/prefix} or {@code /dir}
 */
public record BackendUrl(String scheme, String rest, Map<String, String> options) {
    /** What every store knows, because the client handles it. */
    public static final Set<String> COMMON_OPTIONS = Set.of("ttl", "node", "standoff");

    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9+.-]*):([^?]*)(?:\\?(.*))?", Pattern.DOTALL);
    private static final Pattern AUTHORITY_END = Pattern.compile("/|;\\s*[\\w.]+\\s*=|$");
    private static final Pattern PLACE_WITH_PORTS = Pattern.compile("(?:postgresql|mariadb):(?:[a-z]+:)?//([^/?;]*)");
    private static final Pattern HOST_AND_PORT = Pattern.compile("(?:\\[[^\\]]*\\]|[^:]*)(?::[0-9]*)?");
    private static final Pattern OURS_AMONG_SETTINGS =
            Pattern.compile(";\\s*(tenure\\.[^=;]*)", Pattern.CASE_INSENSITIVE);

    /** Copies the options. */
    public BackendUrl {
        options = Map.copyOf(options);
    }

    /** Takes a URL apart; {@link IllegalArgumentException}, which shows no secret, if it is no store URL. */
    public static BackendUrl parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + Redactor.url(text)
                    + "' is not a store URL: write scheme:place, such as local: or local:/var/lib/myapp");
        }
        refuseOursAmongSettings(form);
        Map<String, String> options = new LinkedHashMap<>();
        if (form.group(3) != null && !form.group(3).isEmpty()) {
            for (String pair : form.group(3).split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 1) {
                    // Not shown: it may be the rest of a password that contains a question mark.
                    throw new IllegalArgumentException("an option in the store URL has no '=': write ?name=value&…,"
                            + " and %3F for a question mark that belongs to a password");
                }
                String name = decode(pair.substring(0, equals));
                if (options.put(name, decode(pair.substring(equals + 1))) != null) {
                    throw new IllegalArgumentException("option '" + name + "' stands twice in the store URL");
                }
            }
        }
        return new BackendUrl(form.group(1), form.group(2), options);
    }

    /** A driver whose settings begin with a semicolon would be given them, and would not know them. */
    private static void refuseOursAmongSettings(Matcher form) {
        Matcher ours = OURS_AMONG_SETTINGS.matcher(form.group(2));
        if (form.group(1).equals("jdbc") && ours.find()) {
            String name = ours.group(1).strip().toLowerCase(Locale.ROOT);
            throw new IllegalArgumentException("write " + (form.group(3) == null ? "?" : "&") + name
                    + "=… at the end of the store URL instead of ;" + name
                    + "=…: what follows a semicolon is for the driver");
        }
    }

    /** The value of this option, decoded. */
    public Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    /** The value of this option as a duration, such as {@code 10s}; {@link IllegalArgumentException} if it is none. */
    public Optional<Duration> duration(String name) {
        return option(name).map(text -> DurationText.parse("option " + name, text));
    }

    /** The same URL without these options, for the code that handles the rest. */
    public BackendUrl without(Set<String> names) {
        Map<String, String> rest = new LinkedHashMap<>(options);
        rest.keySet().removeAll(names);
        return new BackendUrl(scheme, this.rest, rest);
    }

    /** A misspelt option must not be silently ignored. */
    public void refuseOptionsBut(Set<String> known) {
        for (String name : new TreeSet<>(options.keySet())) {
            if (!known.contains(name)) {
                Set<String> all = new TreeSet<>(known);
                all.addAll(COMMON_OPTIONS);
                throw new IllegalArgumentException("unknown option '" + name + "' in the store URL " + this
                        + " (known here: " + String.join(", ", all) + ")");
            }
        }
    }

    /** {@code //user:password@host/…} with user and password as options, unless there are such options already. */
    public BackendUrl withUserAsOptions() {
        int from = rest.indexOf("//") + 2;
        Matcher end = AUTHORITY_END.matcher(rest);
        int at = from < 2 || !end.find(from) ? -1 : rest.lastIndexOf('@', end.start());
        if (at < from) {
            refuseStrangePorts();
            return this;
        }
        String[] user = rest.substring(from, at).split(":", 2);
        Map<String, String> all = new LinkedHashMap<>(options);
        all.putIfAbsent("user", decodedPart(user[0]));
        if (user.length == 2) {
            all.putIfAbsent("password", decodedPart(user[1]));
        }
        BackendUrl plain = new BackendUrl(scheme, rest.substring(0, from) + rest.substring(at + 1), all);
        plain.refuseStrangePorts();
        return plain;
    }

    /** What should be a port may be the password of a URL without a host, and drivers log a port that is no number. */
    private void refuseStrangePorts() {
        Matcher place = PLACE_WITH_PORTS.matcher(rest);
        if (!place.lookingAt()) {
            return;
        }
        for (String host : place.group(1).split(",", -1)) {
            if (!host.contains("(") && !HOST_AND_PORT.matcher(host).matches()) {
                throw new IllegalArgumentException(
                        "the store URL has a port that is no number: write" + " //user:password@host:port/database");
            }
        }
    }

    @Override
    public String toString() {
        return Redactor.url(scheme + ":" + rest);
    }

    /** A part of a URL before its options, in which a plus sign means itself. */
    public static String decodedPart(String text) {
        return decode(text.replace("+", "%2B"));
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            // Its message would show two characters of what may be a password.
            throw new IllegalArgumentException(
                    "the store URL has a '%' that begins no code: write %25 for the character itself");
        }
    }
}
