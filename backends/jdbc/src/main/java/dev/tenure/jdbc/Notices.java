package dev.tenure.jdbc;

import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.Watch;
import java.util.function.Consumer;

/** Hears of changes that others announce. */
interface Notices extends AutoCloseable {
    /** Nobody is told anything: whoever waits polls. */
    Notices NONE = new Notices() {
        @Override
        public Watch watch(String prefix, Consumer<String> changedKey) {
            return () -> {};
        }

        @Override
        public Wakeup wakeup() {
            return Wakeup.POLL;
        }

        @Override
        public void close() {}
    };

    Watch watch(String prefix, Consumer<String> changedKey);

    /** How one hears, as far as is known by now. */
    Wakeup wakeup();

    @Override
    void close();
}
