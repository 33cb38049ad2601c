// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.explorer.ModelFault;
import java.util.List;

/**
 * One state of everything: nodes, store, messages, the resource that the duties write to, and what has happened so far as
 * far as the properties need it.
 *
 * @param fresh numbers that were never used before
 */
public record ModelWorld(
        List<NodeModel> nodes,
        StoreState store,
        List<ModelMessage> messages,
        Resource resource,
        History history,
        long fresh) {

    /**
     * @param fenceToken the highest token that the fence has seen, with its nonce
     * @param writtenToken the highest token of an accepted write, with its nonce
     */
    public record Resource(long fenceToken, long fenceNonce, long writtenToken, long writtenNonce) {
        static final Resource UNTOUCHED = new Resource(0, 0, 0, 0);
    }

    /**
     * @param issued the highest token that the store has ever issued
     * @param faults how many there were so far
     * @param keptItsWord the store has neither ended a lease early nor gone back
     */
    public record History(long issued, int faults, boolean keptItsWord, boolean restored) {
        static final History NONE = new History(0, 0, true, false);

        public History issue(long token) {
            return new History(Math.max(token, issued), faults, keptItsWord, restored);
        }

        History fault(ModelFault fault) {
            boolean kept = keptItsWord && fault != ModelFault.REVOKE && fault != ModelFault.RESTORE;
            return new History(issued, faults + 1, kept, restored || fault == ModelFault.RESTORE);
        }
    }
}
