package dev.tenure.peers;

import dev.tenure.Nonce;

/** A term of this member that belongs to one claim. */
record Grant(PeersSession session, Claim claim, Holding holding, boolean takeover, Stage stage) {
    enum Stage {
        TELLING,
        /** A majority has the holding. */
        KEPT,
        GRANTED
    }

    Grant at(Stage next) {
        return new Grant(session, claim, holding, takeover, next);
    }

    boolean isGranted() {
        return stage == Stage.GRANTED;
    }

    boolean isFor(Nonce nonce) {
        return claim.request().nonce().equals(nonce);
    }
}
