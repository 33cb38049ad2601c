// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fakes;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;
import java.util.TreeMap;

/** A store in memory that issues tokens: it numbers its writes. */
public final class IssuingStore extends MemoryStore implements TokenIssuer {
    /** Which number the write with this version has; the later ones are counted from it. */
    private final TreeMap<Long, Long> numbered = new TreeMap<>();

    public IssuingStore(Host host) {
        super(host);
        numbered.put(0L, 0L);
    }

    /** The next write has this number, be it lower than those before. */
    public void numberFrom(long number) {
        put("x/probe", "");
        long next = versionOf(peek("x/probe")) + 1;
        remove("x/probe");
        numbered.put(next, number);
    }

    @Override
    public BackendTraits traits() {
        return super.traits()
                .change()
                .tokens(BackendTraits.TokenSource.REVISION)
                .build();
    }

    @Override
    public long tokenOf(Versioned written) {
        long version = versionOf(written);
        long from = numbered.floorKey(version);
        return numbered.get(from) + version - from;
    }

    private static long versionOf(Versioned written) {
        return Long.parseLong(written.version().orElseThrow().substring(1));
    }
}
