// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.Nonce;
import dev.tenure.simulator.store.StoreHistory;

/** Nobody checks what happens: a script says what it wants to see. */
final class NoHistory implements StoreHistory {
    @Override
    public void sessionOpened(String session, int process, long ttlNanos, long goodUntilNanos) {}

    @Override
    public void sessionLives(String session, int process, long ttlNanos, long goodUntilNanos) {}

    @Override
    public void sessionEnded(String session, int by) {}

    @Override
    public void sessionBroken(String session) {}

    @Override
    public void claimed(int election, Nonce nonce, String session, long token, int by) {}

    @Override
    public void vacated(int election, int by) {}

    @Override
    public void claimBroken(int election) {}

    @Override
    public void claimRestored(int election, Nonce nonce) {}

    @Override
    public void forgot() {}

    @Override
    public void clockWentBack() {}

    @Override
    public void proved(int process, int election, Nonce nonce, long token) {}

    @Override
    public void saw(int process, int election, long token) {}

    @Override
    public void claimLives(int election, Nonce nonce, long goodUntilNanos) {}

    @Override
    public void renewalAcknowledged(int process, int election, Nonce lost) {}

    @Override
    public void learnedOfLoss(int process, int election) {}

    @Override
    public void releasing(int process, int election, String session) {}

    @Override
    public void claiming(int process, int election, String session, Nonce nonce) {}

    @Override
    public void clockShown(int process, long servedNanos) {}

    @Override
    public void counted(int process, Nonce nonce, long token) {}

    @Override
    public void writing(int process) {}

    @Override
    public void leaving(int process, String session) {}
}
