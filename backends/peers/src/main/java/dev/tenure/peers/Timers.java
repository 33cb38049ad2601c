package dev.tenure.peers;

import dev.tenure.algorithms.Effect;
import dev.tenure.spi.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The timers of one machine, by name. Chance comes from the host. */
final class Timers {
    private final Host host;
    private final Consumer<String> fired;
    private final Map<String, Host.Timer> armed = new HashMap<>();

    Timers(Host host, Consumer<String> fired) {
        this.host = host;
        this.fired = fired;
    }

    void set(Effect.SetTimer wanted) {
        String timer = wanted.timer();
        cancel(timer);
        long spanNanos = wanted.maxNanos() - wanted.minNanos();
        long chanceNanos = spanNanos == 0 ? 0 : Math.floorMod(host.random(), spanNanos);
        armed.put(timer, host.wakeAt(host.nanos() + wanted.minNanos() + chanceNanos, () -> {
            armed.remove(timer);
            fired.accept(timer);
        }));
    }

    boolean isSet(String timer) {
        return armed.containsKey(timer);
    }

    void cancel(String timer) {
        Optional.ofNullable(armed.remove(timer)).ifPresent(Host.Timer::cancel);
    }

    void cancelAll() {
        List.copyOf(armed.keySet()).forEach(this::cancel);
    }
}
