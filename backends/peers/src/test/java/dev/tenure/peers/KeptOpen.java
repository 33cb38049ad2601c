// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.spi.Backend;
import dev.tenure.spi.BackendSession;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Observation;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.Watch;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Another way into a member that runs anyway. The contract's processes come and go, and there are more of them than a group has members:
 * each of them is somebody with a session of its own at one of three.
 */
final class KeptOpen implements Backend {
    private final Backend member;

    KeptOpen(Backend member) {
        this.member = member;
    }

    @Override
    public BackendTraits traits() {
        return member.traits();
    }

    @Override
    public CompletionStage<BackendSession> open(SessionRequest request, SessionEvents events) {
        return member.open(request, events);
    }

    @Override
    public CompletionStage<Observation> read(ElectionName election) {
        return member.read(election);
    }

    @Override
    public CompletionStage<List<Observation>> list() {
        return member.list();
    }

    @Override
    public Watch watch(Consumer<ElectionName> changed) {
        return member.watch(changed);
    }

    @Override
    public CompletionStage<Void> request(OperatorRequest request) {
        return member.request(request);
    }

    @Override
    public CompletionStage<StoreEra> era() {
        return member.era();
    }

    @Override
    public CompletionStage<StoreEra> raiseEra(int atLeast) {
        return member.raiseEra(atLeast);
    }

    @Override
    public void close() {
        // The member goes on.
    }
}
