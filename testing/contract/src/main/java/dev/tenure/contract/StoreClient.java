// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.LeaseStore;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One client of a store, with calls that wait for their answer. */
record StoreClient(LeaseStore store, Await await) {
    BackendTraits traits() {
        return store.traits();
    }

    Versioned read(String key) {
        return await.reply(store.read(key));
    }

    List<Versioned> list(String prefix) {
        return await.reply(store.list(prefix));
    }

    WriteReply write(Versioned expected, String value) {
        return await.reply(store.compareAndSet(plain(expected, value)));
    }

    WriteReply write(Versioned expected, String value, Duration timeToLive) {
        return await.reply(store.compareAndSet(new Write(expected, value, Optional.of(timeToLive), 0)));
    }

    WriteReply write(Write write) {
        return await.reply(store.compareAndSet(write));
    }

    WriteReply delete(Versioned expected) {
        return await.reply(store.delete(expected));
    }

    Watch watch(String prefix, Consumer<String> changedKey) {
        return store.watch(prefix, changedKey);
    }

    /** Writes a record where there is none. */
    Versioned create(String key, String value) {
        return applied(write(absent(key), value));
    }

    Versioned create(String key, String value, Duration timeToLive) {
        return applied(write(absent(key), value, timeToLive));
    }

    /** Writes over whatever stands there; for tests in which nobody else writes. */
    Versioned put(String key, String value) {
        return applied(write(read(key), value));
    }

    static Write plain(Versioned expected, String value) {
        return new Write(expected, value, Optional.empty(), 0);
    }

    /** An expectation that there is no record. */
    static Versioned absent(String key) {
        return Versioned.absent(key, 0);
    }

    static Versioned applied(WriteReply reply) {
        if (reply instanceof WriteReply.Applied applied) {
            return applied.now();
        }
        throw new AssertionError("this write should have been applied: " + reply);
    }

    static Versioned refused(WriteReply reply) {
        if (reply instanceof WriteReply.Refused refused) {
            return refused.current();
        }
        throw new AssertionError("this write should have been refused: " + reply);
    }
}
