// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

/** What nodes say to each other. Every algorithm has a sealed family of its own, and each message is a record. */
public interface Message {
    /** Is this only a sign of life, sent all the time and not part of an election? Such messages are counted apart. */
    default boolean isBackground() {
        return false;
    }
}
