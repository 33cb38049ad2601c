package dev.tenure.contract;

import dev.tenure.spi.Hint;
import dev.tenure.spi.Versioned;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Who listens, and remembers all that was heard. */
final class Listener implements Consumer<Hint> {
    private final Queue<Hint> heard = new ConcurrentLinkedQueue<>();

    @Override
    public void accept(Hint hint) {
        heard.add(hint);
    }

    boolean hasHeardOf(String key) {
        return heard.stream().anyMatch(hint -> hint.key().equals(key));
    }

    List<String> keys() {
        return heard.stream().map(Hint::key).toList();
    }

    /** The hints that told more than a key. */
    List<Hint> tellings() {
        return heard.stream().filter(hint -> hint.told().isPresent()).toList();
    }

    List<Versioned> toldOf(String key) {
        return heard.stream()
                .filter(hint -> hint.key().equals(key))
                .flatMap(hint -> hint.told().stream())
                .toList();
    }

    boolean wasTold(String key, String version) {
        return toldOf(key).stream()
                .anyMatch(told -> told.version().filter(version::equals).isPresent());
    }
}
