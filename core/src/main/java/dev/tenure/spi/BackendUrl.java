package dev.tenure.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
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
    /** {@code user[:password]@host,user[:password]@host…} without anything that could be read in two ways. */
    private static final Pattern PLAIN_USERS =
            Pattern.compile("[^:@/,?]+(?::[^:@/,?]*)?@(?:[^@/?,]+,[^:@/,?]+(?::[^:@/,?]*)?@)*");

    private static final String JDBC = "jdbc:";
    private static final Pattern PASSWORD = Pattern.compile("(^|(?<=,))([^:@/,?]+):[^:@/,?]*@");

    public BackendUrl {
        options = Map.copyOf(options);
    }

    public static BackendUrl parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + redact(text)
                    + "' is not a store URL: write scheme:place, such as local: or local:/var/lib/myapp");
        }
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

    public Optional<String> option(String name) {
        return Optional.ofNullable(options.get(name));
    }

    public Optional<Duration> duration(String name) {
        return option(name).map(text -> DurationText.parse("option " + name, text));
    }

    /** The same URL without these options, for those who handle the rest. */
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

    @Override
    public String toString() {
        return redact(scheme + ":" + rest);
    }

    /**
     * Passwords are hidden, and where it is unclear what is a password (an unencoded {@code @}, {@code /} or {@code ?}
     * may be part of one), everything that may be is hidden.
     */
    private static String redact(String whole) {
        String text = whole.startsWith(JDBC) ? withoutDriverSettings(whole) : whole;
        int authority = text.indexOf("//");
        int lastAt = text.lastIndexOf('@');
        int query = text.indexOf('?');
        if (authority < 0 || lastAt < authority) {
            return query < 0 ? text : text.substring(0, query);
        }
        String scheme = text.substring(0, authority + 2);
        String users = text.substring(authority + 2, lastAt);
        boolean clear = query < 0 || query > lastAt;
        String tail = clear ? text.substring(lastAt, query < 0 ? text.length() : query) : "";
        if (!clear || !PLAIN_USERS.matcher(users + "@").matches()) {
            return scheme + "***" + tail;
        }
        return scheme + PASSWORD.matcher(users + "@").replaceAll("$2:***@") + tail.substring(1);
    }

    /** {@code jdbc:h2:mem:x;PASSWORD=…} and {@code jdbc:oracle:thin:user/…@host} are URLs too. */
    private static String withoutDriverSettings(String text) {
        String driver = text.substring(0, Math.max(text.indexOf(':', JDBC.length()) + 1, JDBC.length()));
        int settings = text.indexOf(';');
        int lastAt = text.lastIndexOf('@');
        int authority = text.indexOf("//");
        boolean unclear = lastAt >= 0 && (authority < 0 || authority > lastAt || (settings >= 0 && settings < lastAt));
        if (unclear) {
            return driver + "***";
        }
        return settings < 0 ? text : text.substring(0, settings);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
