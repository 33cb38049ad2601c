package dev.tenure.jdbc.advisory;

import dev.tenure.Card;
import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.spi.Observation;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The row of an election, as somebody sees it who does not hold it.
 *
 * @param leader nobody, if it is vacant or the connection of its holder has ended
 * @param line the lock that its holder's connection has for itself
 */
record Epoch(ElectionName election, long token, Optional<Leader> leader, OptionalLong line) {
    /** What {@link #of} reads. */
    static final String COLUMNS =
            "e.election, e.token, e.session <> '' AS held, e.line, e.holder, e.card, e.since_millis";

    /** @param rows with {@link #COLUMNS}, and with {@code alive}: has its holder a connection? */
    static Epoch of(ResultSet rows) throws SQLException {
        ElectionName election = ElectionName.decode(rows.getString("election"));
        long token = rows.getLong("token");
        if (!rows.getBoolean("held") || !rows.getBoolean("alive")) {
            return new Epoch(election, token, Optional.empty(), OptionalLong.empty());
        }
        Leader leader = new Leader(
                election,
                rows.getString("holder"),
                new FencingToken(token),
                Instant.ofEpochMilli(rows.getLong("since_millis")),
                card(rows.getString("card")));
        return new Epoch(election, token, Optional.of(leader), OptionalLong.of(rows.getLong("line")));
    }

    Observation observation() {
        return new Observation(election, leader, token);
    }

    static String text(Card card) {
        if (card.entries().isEmpty()) {
            return "";
        }
        return new TreeMap<>(card.entries())
                .entrySet().stream()
                        .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                        .collect(Collectors.joining("&"));
    }

    private static Card card(String text) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (String pair : text.isEmpty() ? new String[0] : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals >= 0) {
                entries.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
            }
        }
        return new Card(entries);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
