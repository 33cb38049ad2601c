package dev.tenure.zookeeper;

import java.util.Optional;

/** A term that a stand has won by this latch. */
record LedTerm(Stand stand, Mine mine) implements TermLedger.Begun {
    @Override
    public Optional<TermLedger.Note> note() {
        return stand.note(mine);
    }

    @Override
    public void missed() {
        stand.ownChanged(mine);
    }
}
