package dev.tenure.etcd;

import dev.tenure.spi.StoreEra;

/**
 * What a session takes for granted, and every transaction of it checks: the era, and its own guard. A claim that was sent
 * before the guard has moved on can never be applied afterwards.
 *
 * @param eraRevision of the last change of the era's key
 * @param guardRevision of the last change of the session's key
 */
record Standpoint(StoreEra era, long eraRevision, long guardRevision) {
    Standpoint withGuard(long revision) {
        return new Standpoint(era, eraRevision, Math.max(guardRevision, revision));
    }
}
