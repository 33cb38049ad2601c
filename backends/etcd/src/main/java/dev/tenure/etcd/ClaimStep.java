package dev.tenure.etcd;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;

/** One step of a claim: wanted for as long as no newer call in its election has taken over. Loop-confined. */
abstract class ClaimStep implements Courier.Step {
    private final Claim claim;

    ClaimStep(Claim claim) {
        this.claim = claim;
    }

    @Override
    public boolean isWanted() {
        return claim.isWanted();
    }

    @Override
    public Object subject() {
        return claim.place();
    }

    @Override
    public void sent(Standpoint at) {}

    @Override
    public void failed(BackendException failure) {
        claim.fail(failure);
    }

    @Override
    public void answered(TxnReply reply, Standpoint at, long revision) {
        if (!isWanted()) {
            claim.fail(new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "the claim of " + claim.place().election() + " was overtaken by a newer call"));
            return;
        }
        try {
            applied(reply, at, revision);
        } catch (BackendException refused) {
            claim.fail(refused);
        }
    }

    abstract void applied(TxnReply reply, Standpoint at, long revision);
}
