// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Finds a backend by the scheme of its URL; registered through {@link java.util.ServiceLoader}. */
public interface BackendProvider {
    /** The schemes of the URLs that this provider opens, in lower case. Two providers must not have the same one. */
    Set<String> schemes();

    /** What the options of Tenure begin with on these URLs, where all others belong to a driver. */
    default String optionPrefix() {
        return "";
    }

    /** Which of {@link BackendUrl#COMMON_OPTIONS} the backend handles too, besides the client. */
    default Set<String> sharedOptions() {
        return Set.of();
    }

    /** How long a process may be silent before others take over, unless its user says so. */
    default Duration usualTtl(BackendUrl url) {
        return Duration.ofSeconds(10);
    }

    /** What operators call a process that has this URL, unless its user says so; empty where the URL names no process. */
    default Optional<String> usualNode(BackendUrl url) {
        return Optional.empty();
    }

    /**
     * Connects, without waiting for the store to answer.
     *
     * @throws BackendException if the URL or the place cannot work; the message says what to do
     */
    StoreBinding connect(BackendUrl url, Host host);

    /** @throws IllegalArgumentException if none on the class path has the scheme of this URL */
    static BackendProvider of(BackendUrl url) {
        Set<String> known = new TreeSet<>();
        for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
            if (provider.schemes().contains(url.scheme())) {
                return provider;
            }
            known.addAll(provider.schemes());
        }
        throw new IllegalArgumentException("no backend for '" + url.scheme() + ":' is on the class path"
                + (known.isEmpty() ? "; add one, such as dev.tenure:tenure-local" : " (there is: " + known + ")"));
    }
}
