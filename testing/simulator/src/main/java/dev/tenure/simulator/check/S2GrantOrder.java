package dev.tenure.simulator.check;

/** S2: a later grant has a higher token. */
final class S2GrantOrder extends Checker {
    private final long[] highest;

    S2GrantOrder(Book book) {
        super("S2", book);
        this.highest = new long[book.elections()];
    }

    @Override
    void granted(GrantFact grant) {
        if (grant.token <= highest[grant.election] && !book.mayRepeat(grant)) {
            violated("e" + grant.election + ": " + grant + " was granted after token " + highest[grant.election]);
        }
        highest[grant.election] = Math.max(highest[grant.election], grant.token);
    }
}
