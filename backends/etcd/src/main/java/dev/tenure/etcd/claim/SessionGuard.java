// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.spi.StoreEra;

/**
 * What a session takes for granted, and every transaction of it checks: the era, and its own guard. A claim that was sent
 * before the guard has moved on can never be applied afterwards.
 *
 * @param eraRevision of the last change of the era's key
 * @param guardRevision of the last change of the session's key
 */
public record SessionGuard(StoreEra era, long eraRevision, long guardRevision) {
    SessionGuard withGuard(long revision) {
        return new SessionGuard(era, eraRevision, Math.max(guardRevision, revision));
    }
}
