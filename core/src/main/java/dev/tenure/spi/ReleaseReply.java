// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/** The certain outcomes of a release; after both, nothing of this claim is left. */
public enum ReleaseReply {
    /** It was there, and is gone. */
    RELEASED,
    /** There was nothing of this claim in the store, and there will not be. */
    NOT_HELD
}
