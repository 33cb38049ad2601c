// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

/** One client of a store, with one session for everything that it stands in. */
public interface Contender extends AutoCloseable {
    /** Stands in an election. {@code leading} is called when its work may begin, once for each stand. */
    Stand stand(String election, Leading leading);

    /** Renewals of its session that were acknowledged so far; 0 where the library does not tell. */
    long heartbeats();

    /** Gives up everything that it holds, in the quickest orderly way that the library has. */
    @Override
    void close() throws Exception;

    /** What is told to its work. */
    interface Leading {
        void begin() throws Exception;
    }

    /** One candidacy. */
    interface Stand {
        /** Whether its work, if it asked now, would go on; asked before every row that is written. */
        boolean believes();

        /** What it could show to a resource; 0 where it has nothing. */
        long token();

        /** Leaves: the call that a user makes, by which the next one may lead. */
        void leave() throws Exception;
    }
}
