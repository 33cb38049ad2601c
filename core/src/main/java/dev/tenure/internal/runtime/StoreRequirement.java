// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.Grade;
import dev.tenure.Scope;
import dev.tenure.spi.BackendTraits;
import java.util.Optional;

/**
 * What the user requires of a store. It is looked at twice: when the client is opened, and again with every session, because
 * some stores show what they are (their version, their standbys) only to callers that ask them.
 */
public record StoreRequirement(Grade gradeMin, Scope scopeMin) {
    public Optional<String> objection(BackendTraits traits) {
        if (!traits.grade().isAtLeast(gradeMin)) {
            return Optional.of("grade " + gradeMin + " was required, but " + traits.store() + " is grade "
                    + traits.grade() + ": " + traits.gradeReason());
        }
        if (!traits.scope().isAtLeast(scopeMin)) {
            return Optional.of("scope " + scopeMin + " was required, but the exclusion of " + traits.store()
                    + " reaches only the " + traits.scope());
        }
        return Optional.empty();
    }
}
