// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

/** The one server that serves, of a store in which none takes over by itself. */
public interface Primary {
    /** SIGKILL of it and of all its workers; returns when they are gone. */
    void kill() throws Exception;

    /** After {@link #kill}, with the data that it had; returns when it serves. */
    void start() throws Exception;

    /** SIGSTOP: alive, silent, and with all its connections open. */
    void stop() throws Exception;

    void goOn() throws Exception;

    /** It ends all connections of the candidates, as an administrator can make it do. */
    void endConnections() throws Exception;
}
