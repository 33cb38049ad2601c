// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

/** What a store has written down, in the hands of an operator. */
public interface Records {
    /** Ends the session of the candidate that leads. */
    void revokeSession() throws Exception;

    /** Removes what says that the leader leads. */
    void deleteClaim() throws Exception;

    /** Removes everything that Tenure has in this store. */
    void wipe() throws Exception;
}
