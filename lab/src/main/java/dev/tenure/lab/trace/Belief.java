// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

/**
 * What a node believed about a role, from one instant to another.
 *
 * @param leader whom it believed to lead, 0 if nobody
 */
public record Belief(int node, String role, int leader, long term, long fromNanos, long toNanos) {
    public boolean isOwn() {
        return leader == node;
    }
}
