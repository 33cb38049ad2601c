// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

/**
 * One step of the world.
 *
 * @param subject the node, the message, or the session, as its kind says
 */
public record Move(Kind kind, int subject) {
    enum Kind {
        /** Every clock advances. */
        TICK("time passes"),
        SLIP("time passes, but not on the clock of node"),
        SUSPEND("time passes, but node is suspended:"),
        STICK("the loop stands still of node"),
        UNSTICK("the loop goes on of node"),
        SESSION_TICK("the session's timer fires on node"),
        ELECTION_TICK("the election's timer fires on node"),
        ADMIT("its turn to claim has come for node"),
        HINT("a change is hinted to node"),
        VERIFY("the store says that the claim is not held, to node"),
        CHECK("the duty may write, finds node"),
        WRITE("the duty writes, of node"),
        DUTY_ENDS("the duty ends, of node"),
        CLOSE("its candidacy is closed, of node"),
        CRASH("crash and restart of node"),
        /** There and back within the instant. */
        EXCHANGE("the store answers"),
        EXCHANGE_TWICE("the store answers, and the network keeps a copy of"),
        /** One step of a message that takes its time. */
        PROCESS("the store takes"),
        DELIVER("the answer arrives to"),
        DELAY("the network delays"),
        LOSE("the network loses"),
        LOSE_ANSWER("the network loses the answer to"),
        REFUSE("the store cannot be reached by"),
        EXPIRE("the store ends silent session"),
        REVOKE("the store ends early session"),
        BACK_UP("the store is backed up"),
        RESTORE("the store is restored");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    private static final int SUBJECTS = 1 << 20;
    private static final Kind[] KINDS = Kind.values();

    public int packed() {
        return kind.ordinal() * SUBJECTS + subject;
    }

    public static Move unpacked(int packed) {
        return new Move(KINDS[packed / SUBJECTS], packed % SUBJECTS);
    }
}
