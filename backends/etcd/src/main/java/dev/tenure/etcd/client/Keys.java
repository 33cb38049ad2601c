// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.ElectionName;
import dev.tenure.spi.BackendException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where everything lies. A candidate is {@code <folder>/<name>/<lease>}, as the tools of etcd have it, and its whole
 * election is {@code <folder>/<name>/}. Tenure's own records begin with a dot, which no encoded name does:
 *
 * <pre>
 * tenure/billing%2fsweeper/694d8a…   a candidate; attached to its lease
 * tenure/.era                        store id and era
 * tenure/.session/694d8a…            a session and its guard; attached to its lease
 * tenure/.term/billing%2fsweeper     the last term: its token outlives its holder
 * tenure/.request/billing%2fsweeper  an operator's request
 * tenure/.fence/ledger               the newest term that a guarded resource has seen
 * </pre>
 *
 * <p>With raw names a name is taken as it is, slashes and all, so that names of other programs can be reached. As with those
 * programs, election {@code a} then waits for the candidates of {@code a/b} too.
 */
public final class Keys {
    private final String folder;
    private final boolean raw;
    private final String own;

    /** @param path the folder, without slashes at its ends; may be empty with raw names only */
    public Keys(String path, boolean raw) {
        String bytes = bytes(path);
        this.folder = path.isEmpty() ? "" : bytes + "/";
        this.raw = raw;
        this.own = (path.isEmpty() ? "tenure" : bytes) + "/.";
    }

    /** Keys are bytes; here a character stands for each. */
    public static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    public String era() {
        return own + "era";
    }

    public String session(long lease) {
        return own + "session/" + hex(lease);
    }

    public String term(ElectionName election) {
        return own + "term/" + election.encoded();
    }

    public KeyRange terms() {
        return KeyRange.under(own + "term/");
    }

    public Optional<ElectionName> electionOfTerm(String key) {
        String terms = own + "term/";
        return key.startsWith(terms) ? name(key.substring(terms.length()), false) : Optional.empty();
    }

    public String request(ElectionName election) {
        return own + "request/" + election.encoded();
    }

    public String fence(String resource) {
        return own + "fence/" + ElectionName.of(resource).encoded();
    }

    public KeyRange requests() {
        return KeyRange.under(own + "request/");
    }

    public KeyRange election(ElectionName election) {
        return KeyRange.under(prefix(election));
    }

    public String entry(ElectionName election, long lease) {
        return prefix(election) + hex(lease);
    }

    private String prefix(ElectionName election) {
        String prefix = folder + (raw ? bytes(election.value()) : election.encoded()) + "/";
        if (prefix.startsWith(own) || own.startsWith(prefix)) {
            throw BackendException.misconfigured(
                    "an election named '" + election + "' would share keys with Tenure's own records under " + own
                            + "*: choose another name, or another folder in the store URL");
        }
        return prefix;
    }

    /** Everything that belongs to elections here, with Tenure's own records; without a folder everything that there is. */
    public KeyRange everything() {
        return KeyRange.under(folder);
    }

    /** Can all elections be found by looking at the folder? */
    public boolean hasFolder() {
        return !folder.isEmpty();
    }

    /** Empty if this is not the key of a candidate. */
    public Optional<ElectionName> electionOfEntry(String key) {
        return queuesOf(key).stream().findFirst();
    }

    /** The elections in whose queues this key stands: with raw names also those that its own one lies inside. */
    public List<ElectionName> queuesOf(String key) {
        List<ElectionName> all = new ArrayList<>();
        if (key.startsWith(folder) && !key.startsWith(own)) {
            String rest = key.substring(folder.length());
            int slash = raw ? rest.lastIndexOf('/') : rest.indexOf('/');
            while (slash > 0) {
                name(rest.substring(0, slash), raw).ifPresent(all::add);
                slash = raw ? rest.lastIndexOf('/', slash - 1) : -1;
            }
        }
        return all;
    }

    /** Empty if it is not a name; then it was written by others. */
    private static Optional<ElectionName> name(String text, boolean raw) {
        try {
            return Optional.of(
                    raw
                            ? ElectionName.of(
                                    new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                            : ElectionName.decode(text));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    /** Lower case and without padding, as Go's {@code %x} writes it. */
    public static String hex(long lease) {
        return Long.toHexString(lease);
    }
}
