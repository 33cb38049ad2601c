package dev.tenure.redis;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.exceptions.JedisDataException;

/** What went wrong, in the sentences of {@code errors.txt}. */
record RedisErrors(RedisSettings settings) {
    private static final List<String[]> KNOWN = LuaScript.text("errors.txt")
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" \\| ", 3))
            .toList();
    private static final String[] UNKNOWN = {"", Kind.UNREACHABLE.name(), "the server does not answer as it should"};

    /** A server that refuses a command has changed nothing, because each script writes with its last one. */
    BackendException of(RuntimeException failure, Effect unanswered) {
        if (failure instanceof BackendException told) {
            return told;
        }
        String said = all(failure)
                .map(cause -> String.valueOf(cause.getMessage()))
                .distinct()
                .collect(Collectors.joining(": "));
        String[] known = KNOWN.stream()
                .filter(line -> said.contains(line[0]))
                .findFirst()
                .orElse(UNKNOWN);
        Effect effect = failure instanceof JedisDataException ? Effect.NONE : unanswered;
        String sentence = settings + ": " + known[2] + " (" + said + ")";
        return new BackendException(effect, Kind.valueOf(known[1]), sentence, failure);
    }

    /** The client hides the reason of a failed connection among the suppressed ones. */
    private static Stream<Throwable> all(Throwable failure) {
        Stream<Throwable> inner =
                Stream.concat(Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()));
        return Stream.concat(Stream.of(failure), inner.flatMap(RedisErrors::all));
    }

    BackendException unusable(Kind kind, String sentence) {
        return new BackendException(Effect.NONE, kind, settings + ": " + sentence);
    }
}
