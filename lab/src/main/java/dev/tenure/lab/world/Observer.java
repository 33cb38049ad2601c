// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

/** Sees every step of every node: for properties that are about states and not only about beliefs. */
public interface Observer {
    Observer NOBODY = (node, state) -> {};

    void stepped(int node, Object state);
}
