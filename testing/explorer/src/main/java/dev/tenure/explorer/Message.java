package dev.tenure.explorer;

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
record Message(
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
    enum Kind {
        OPEN,
        RENEW,
        CLAIM,
        RELEASE,
        CLOSE,
        RAISE,
        /** The news that a place in the queue has come to the front. */
        FRONT
    }

    enum Stage {
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

    static Message sent(int node, Kind kind, long attempt, int session, long nonce, long token) {
        return new Message(node, kind, attempt, session, nonce, Stage.SENT, false, false, 0, token);
    }

    Message at(Stage next) {
        return new Message(node, kind, attempt, session, nonce, next, late, orphan, version, token);
    }

    Message writing(long expected) {
        return new Message(node, kind, attempt, session, nonce, Stage.WRITING, late, orphan, expected, token);
    }

    Message answered(Stage answer, long answerToken) {
        return new Message(node, kind, attempt, session, nonce, answer, late, orphan, 0, answerToken);
    }

    Message delayed() {
        return new Message(node, kind, attempt, session, nonce, stage, true, orphan, version, token);
    }

    Message orphaned() {
        return new Message(node, kind, attempt, session, nonce, stage, late, true, version, token);
    }

    /** However far it has come. */
    boolean isSameCallAs(Message other) {
        return node == other.node
                && kind == other.kind
                && attempt == other.attempt
                && session == other.session
                && orphan == other.orphan;
    }

    boolean isAnswer() {
        return stage != Stage.SENT && stage != Stage.WRITING;
    }
}
