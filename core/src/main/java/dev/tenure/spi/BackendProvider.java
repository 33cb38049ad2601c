package dev.tenure.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

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
    Door connect(BackendUrl url, Host host);
}
