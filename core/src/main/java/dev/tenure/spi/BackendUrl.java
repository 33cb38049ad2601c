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
    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9+.-]*):([^?]*)(?:\\?(.*))?", Pattern.DOTALL);
    private static final Pattern PASSWORD = Pattern.compile("(//[^/@]*?):[^/@]*@");

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
                    throw new IllegalArgumentException(
                            "option '" + pair + "' in the store URL must have the form name=value");
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
                throw new IllegalArgumentException("unknown option '" + name + "' in the store URL " + this
                        + (known.isEmpty() ? "" : " (known here: " + String.join(", ", new TreeSet<>(known)) + ")"));
            }
        }
    }

    @Override
    public String toString() {
        return redact(scheme + ":" + rest);
    }

    private static String redact(String text) {
        int query = text.indexOf('?');
        return PASSWORD.matcher(query < 0 ? text : text.substring(0, query)).replaceAll("$1:***@");
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
