// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.BackendTraits.TokenSource;
import dev.tenure.spi.Host;
import dev.tenure.spi.TokenIssuer;
import dev.tenure.spi.Versioned;

/** The store in memory, with tokens that are the numbers of its writes. */
class IssuingStore extends MemoryStore implements TokenIssuer {
    IssuingStore(Space space, Host host) {
        super(space, host);
    }

    @Override
    public BackendTraits traits() {
        return super.traits().change().tokens(TokenSource.REVISION).build();
    }

    @Override
    public long tokenOf(Versioned written) {
        return Long.parseLong(written.version().orElseThrow());
    }
}
