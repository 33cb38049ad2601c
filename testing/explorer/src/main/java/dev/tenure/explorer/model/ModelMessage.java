// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

/**
 * A call that is under way, or its answer.
 *
 * @param attempt what the machine calls it
 * @param stage how far it has come
 * @param late it takes its time; others are there before the next tick
 * @param orphan nobody waits for the answer any more, because its process died
 * @param version of the record that a conditional write expects, once it was read
 * @param token the floor of a claim on its way there, the issued or seen token on its way back
 */
public record ModelMessage(
        int node,
        Kind kind,
        long attempt,
        int session,
        long nonce,
        Stage stage,
        boolean late,
        boolean orphan,
        long version,
        long token) {
    public enum Kind {
        OPEN,
        RENEW,
        CLAIM,
        RELEASE,
        CLOSE,
        RAISE,
        /** The news that a place in the queue has come to the front. */
        FRONT
    }

    public enum Stage {
        /** Under way to the store. */
        SENT,
        /** The record was read; the conditional write is under way. */
        WRITING,
        /** The answers, under way to the node. */
        DONE,
        GRANTED,
        MUST_WAIT,
        GONE
    }

    public static ModelMessage sent(int node, Kind kind, long attempt, int session, long nonce, long token) {
        return new ModelMessage(node, kind, attempt, session, nonce, Stage.SENT, false, false, 0, token);
    }

    public ModelMessage at(Stage next) {
        return new ModelMessage(node, kind, attempt, session, nonce, next, late, orphan, version, token);
    }

    public ModelMessage writing(long expected) {
        return new ModelMessage(node, kind, attempt, session, nonce, Stage.WRITING, late, orphan, expected, token);
    }

    public ModelMessage answered(Stage answer, long answerToken) {
        return new ModelMessage(node, kind, attempt, session, nonce, answer, late, orphan, 0, answerToken);
    }

    public ModelMessage delayed() {
        return new ModelMessage(node, kind, attempt, session, nonce, stage, true, orphan, version, token);
    }

    public ModelMessage orphaned() {
        return new ModelMessage(node, kind, attempt, session, nonce, stage, late, true, version, token);
    }

    /** However far it has come. */
    public boolean isSameCallAs(ModelMessage other) {
        return node == other.node
                && kind == other.kind
                && attempt == other.attempt
                && session == other.session
                && orphan == other.orphan;
    }

    public boolean isAnswer() {
        return stage != Stage.SENT && stage != Stage.WRITING;
    }
}
