// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import java.util.List;

/** The servers of a store, as processes. They are counted from 0. */
public interface Servers {
    /** Where they listen for clients. */
    List<Integer> ports();

    /** SIGKILL; returns when it is gone. */
    void kill(int server) throws Exception;

    /** SIGSTOP: alive, silent, and with all its connections open. */
    void stop(int server) throws Exception;

    void goOn(int server) throws Exception;

    /** After {@link #kill}, with the data that it had. */
    void start(int server) throws Exception;

    /** The one that leads the others. */
    int leader() throws Exception;

    /** Waits until every server serves. */
    void awaitReady() throws Exception;
}
