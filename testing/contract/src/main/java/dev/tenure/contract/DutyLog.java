// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Duty;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** What the duties of one election did, on the one clock that all of them share in this JVM. */
final class DutyLog {
    private static final Duration LOOK_AGAIN_AFTER = Duration.ofSeconds(1);

    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    /** One run of a duty. */
    static final class Entry {
        private final String by;
        private final Leadership leadership;
        private final long begunNanos = System.nanoTime();
        private volatile Optional<Long> endedNanos = Optional.empty();

        Entry(String by, Leadership leadership) {
            this.by = by;
            this.leadership = leadership;
        }

        String by() {
            return by;
        }

        Leadership leadership() {
            return leadership;
        }

        FencingToken token() {
            return leadership.token();
        }

        long begunNanos() {
            return begunNanos;
        }

        boolean hasEnded() {
            return endedNanos.isPresent();
        }
    }

    /** A duty that runs until it is told to stop, then takes this long to stop, whatever interrupts it. */
    Duty duty(String by, Duration stopsWithin) {
        return leadership -> {
            Entry entry = new Entry(by, leadership);
            entries.add(entry);
            try {
                while (leadership.isActive()) {
                    leadership.rest(LOOK_AGAIN_AFTER);
                }
            } catch (InterruptedException toldToStop) {
                // it is told so below as well, by the end of the loop
            } finally {
                long byNanos = System.nanoTime() + stopsWithin.toNanos();
                while (System.nanoTime() - byNanos < 0) {
                    Thread.interrupted();
                    LockSupport.parkNanos(byNanos - System.nanoTime());
                }
                entry.endedNanos = Optional.of(System.nanoTime());
            }
        };
    }

    Duty duty(String by) {
        return duty(by, Duration.ZERO);
    }

    /** A duty that notes its run and does this. */
    Duty duty(String by, Duty work) {
        return leadership -> {
            Entry entry = new Entry(by, leadership);
            entries.add(entry);
            try {
                work.perform(leadership);
            } finally {
                entry.endedNanos = Optional.of(System.nanoTime());
            }
        };
    }

    /** Every run so far, in the order in which they began. */
    List<Entry> entries() {
        return List.copyOf(entries);
    }

    Entry latest() {
        List<Entry> all = entries();
        return all.get(all.size() - 1);
    }

    /** The run that has begun and not ended. */
    Optional<Entry> running() {
        return entries().stream().filter(entry -> !entry.hasEnded()).findFirst();
    }

    void assertInOrder() {
        List<Entry> all = entries();
        for (int i = 1; i < all.size(); i++) {
            Entry before = all.get(i - 1);
            Entry after = all.get(i);
            assertThat(after.token())
                    .as("the token of %s, after that of %s", after.by, before.by)
                    .isGreaterThan(before.token());
            assertThat(before.endedNanos.isPresent() && before.endedNanos.get() - after.begunNanos <= 0)
                    .as("the duty of %s has ended before that of %s begins", before.by, after.by)
                    .isTrue();
        }
    }
}
