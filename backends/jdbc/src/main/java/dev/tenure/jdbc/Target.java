package dev.tenure.jdbc;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.BackendUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a driver is told.
 *
 * @param place the URL that it understands, without options
 * @param settings the user's own, and what is not Tenure's
 */
record Target(String place, Map<String, String> settings, Optional<Path> passwordFile) {
    private static final Pattern PASSWORD_IN_PLACE = Pattern.compile("(?i);\\s*password=([^;]*)");

    Target {
        settings = Map.copyOf(settings);
    }

    /** @param url with the scheme {@code jdbc} */
    static Target of(BackendUrl url) {
        Map<String, String> theirs = new HashMap<>(url.options());
        theirs.keySet().removeIf(name -> name.startsWith(JdbcOptions.OURS));
        return new Target(
                "jdbc:" + url.rest(), theirs, url.option("tenure.password.file").map(Path::of));
    }

    /**
     * Read anew for each connection, so that a password in a file can be changed under a running candidate.
     *
     * @param defaults what the user's own settings win over
     */
    Properties properties(Map<String, String> defaults) {
        Properties all = new Properties();
        all.putAll(defaults);
        all.putAll(settings);
        passwordFile.ifPresent(file -> all.setProperty("password", read(file)));
        return all;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "the file of tenure.password.file cannot be read: " + file,
                    failure);
        }
    }

    List<String> secrets() {
        List<String> secrets = new ArrayList<>();
        settings.forEach((name, value) -> {
            if (name.toLowerCase(Locale.ROOT).contains("password")) {
                secrets.add(value);
            }
        });
        Matcher inPlace = PASSWORD_IN_PLACE.matcher(place);
        while (inPlace.find()) {
            secrets.add(inPlace.group(1));
        }
        return secrets;
    }

    /** A password must not be shown by accident. */
    @Override
    public String toString() {
        return Places.shown(place);
    }
}
