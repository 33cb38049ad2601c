package dev.tenure.zookeeper;

/**
 * A latch that waits for its turn, and what a look must show of it: its name as the first, and its nonce in its text. Written
 * out while the answer is still under way, because then nobody waits for it.
 */
record Sought(Mine latch, String name, String nonceLine) {
    static Sought of(Mine latch) {
        return new Sought(latch, latch.name(), Participant.nonceLine(latch.nonce()));
    }

    boolean isFirstIn(Moment moment, long sessionId) {
        return moment.own().isPresent()
                && latch.isProvedBy(moment.own().get(), sessionId, nonceLine)
                && moment.latch().isFirst(name);
    }
}
