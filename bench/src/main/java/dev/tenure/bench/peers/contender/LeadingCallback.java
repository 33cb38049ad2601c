// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import dev.tenure.bench.peers.contender.Contender.Leading;

/** Begins the work from where a library calls back. */
public final class LeadingCallback {
    private LeadingCallback() {}

    public static void begin(Leading leading) {
        try {
            leading.begin();
        } catch (Exception failure) {
            throw new IllegalStateException("the work could not begin", failure);
        }
    }
}
