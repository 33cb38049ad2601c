package dev.tenure.jdbc;

import dev.tenure.spi.BackendUrl;
import java.util.Map;
import java.util.Optional;

/** What people call a database: its JDBC URL without user, password and settings. */
final class Places {
    static final String UNKNOWN = "the database of the DataSource";

    private Places() {}

    static String shown(String url) {
        return Optional.ofNullable(url)
                .filter(text -> text.startsWith("jdbc:"))
                .map(text -> new BackendUrl("jdbc", rest(text), Map.of()).toString())
                .orElse(UNKNOWN);
    }

    private static String rest(String url) {
        int query = url.indexOf('?');
        return url.substring("jdbc:".length(), query < 0 ? url.length() : query);
    }
}
