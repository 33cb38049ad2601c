// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

/** What a grant of the store hangs on. */
public enum Grants {
    /** A lease: until its time is over, whatever becomes of connections and servers. */
    OUTLIVE_CONNECTIONS,
    /** A connection: a server that ends one takes back what it had granted, and so does one that crashes. */
    END_WITH_CONNECTIONS
}
