// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A lease store that reads records along with the renewal of a session. With it, an idle process sends nothing but its heartbeats:
 * they bring what it would have to ask for otherwise.
 */
public interface RenewalReader extends LeaseStore {
    /**
     * Does the same as {@link #compareAndSet}. Beside that, whether the write is applied or not, it reads these records as they
     * stand at some moment between the call and its answer. That can be the moment before the write.
     */
    CompletionStage<Answer> renew(Write write, Wanted wanted);

    /**
     * Which records are to be read.
     *
     * @param prefixes of keys, for every record below them
     */
    record Wanted(Set<String> keys, Set<String> prefixes) {
        /** A renewal that reads nothing along. */
        public static final Wanted NOTHING = new Wanted(Set.of(), Set.of());

        /** Copies the sets. */
        public Wanted {
            keys = Set.copyOf(keys);
            prefixes = Set.copyOf(prefixes);
        }
    }

    /**
     * What came of a renewal.
     *
     * @param records one for each key that was wanted, present or absent, and those below the prefixes, in no order; or none at
     *     all, if the renewal was possible and the reading was not
     */
    record Answer(WriteReply reply, List<Versioned> records) {}
}
