// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes passwords out of everything that is reported: out of store URLs of every form, out of the messages of drivers (they
 * often repeat a URL or a part of it), and out of the causes of exceptions, which loggers print.
 *
 * <p>It removes two things: the secrets that it knows, as they are written in the URL and decoded, wherever they stand in a
 * text; and whatever looks like a secret of another URL, such as {@code //user:…@} and {@code password=…}. A known secret of
 * one or two characters is hidden in URLs only: without it a text could not be read, and it keeps nobody out. Where a URL can
 * be read in two ways, all that may be a secret is hidden.
 *
 * <p>Immutable; any thread.
 */
public final class Redactor {
    static final String HIDDEN = "***";

    private static final int LENGTH_MIN = 3;
    /** A shorter one may be a part of ordinary words; then it is hidden only where it stands alone. */
    private static final int LENGTH_ANYWHERE_MIN = 4;

    private static final Pattern USER_INFO = Pattern.compile("(://[^\\s/@:,'\"]*):[^\\s@'\"]+@");
    private static final Pattern SLASHED_USER_INFO = Pattern.compile("(?i)(jdbc:oracle:[a-z0-9]+:[^\\s/@]*)/[^\\s@]+@");
    private static final Pattern ASSIGNMENT =
            Pattern.compile("([\\w.%-]+)(\\s*=\\s*)(\\{[^}]*\\}|'[^']*'|\"[^\"]*\"|[^\\s&;,)'\"]+)");

    private static final Redactor WITHOUT_KNOWN = new Redactor(List.of());

    private final List<String> secrets;
    private final Optional<Pattern> known;

    private Redactor(Collection<String> found) {
        Set<String> all = new LinkedHashSet<>(found);
        all.removeIf(secret -> secret.length() < LENGTH_MIN || secret.isBlank());
        this.secrets = all.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        this.known = secrets.stream()
                .map(Redactor::anywhere)
                .reduce((one, other) -> one + "|" + other)
                .map(Pattern::compile);
    }

    private static String anywhere(String secret) {
        String quoted = Pattern.quote(secret);
        return secret.length() < LENGTH_ANYWHERE_MIN ? "(?<![A-Za-z0-9])" + quoted + "(?![A-Za-z0-9])" : quoted;
    }

    /** One that knows no secrets, and hides only what looks like one. */
    public static Redactor withoutKnown() {
        return WITHOUT_KNOWN;
    }

    /** One that knows the secrets of this URL, which may be of any form, and need not be well-formed. */
    public static Redactor of(String url) {
        return WITHOUT_KNOWN.andOf(url);
    }

    /** The same one, which knows the secrets of this URL too. */
    public Redactor andOf(String url) {
        return and(SecretsInUrl.of(url).found());
    }

    /** The same one, which knows these secrets too: a password from a file, say. */
    public Redactor and(Collection<String> more) {
        List<String> all = new ArrayList<>(secrets);
        all.addAll(more);
        return more.isEmpty() ? this : new Redactor(all);
    }

    /** The same one, which knows the secrets among these options too. */
    public Redactor andOptions(Map<String, String> options) {
        return and(SecretsInUrl.ofOptions(options));
    }

    /** A store URL as people may see it: without passwords, and without options, which are not part of the place. */
    public static String url(String url) {
        return SecretsInUrl.of(url).shown();
    }

    /** The same text without secrets. */
    public String text(String text) {
        String shown = known.map(pattern -> pattern.matcher(text).replaceAll(Matcher.quoteReplacement(HIDDEN)))
                .orElse(text);
        shown = SLASHED_USER_INFO.matcher(shown).replaceAll("$1/" + HIDDEN + "@");
        shown = USER_INFO.matcher(shown).replaceAll("$1:" + HIDDEN + "@");
        return ASSIGNMENT
                .matcher(shown)
                .replaceAll(found -> Matcher.quoteReplacement(
                        SecretsInUrl.saysSecretInText(found.group(1)) ? hiddenValue(found) : found.group()));
    }

    private static String hiddenValue(MatchResult found) {
        return found.group(1) + found.group(2) + HIDDEN;
    }

    /** This failure itself if neither it nor a cause of it shows a secret; else one like it that shows none. */
    public Throwable failure(Throwable failure) {
        return shows(failure, distinct()) ? copy(failure, distinct()) : failure;
    }

    /** {@link #failure(Throwable)}, of a type that can be thrown. */
    public RuntimeException failure(RuntimeException failure) {
        return (RuntimeException) failure((Throwable) failure);
    }

    private static Set<Throwable> distinct() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private boolean shows(@Nullable Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        String said = failure.toString();
        return !said.equals(text(said))
                || shows(failure.getCause(), seen)
                || Stream.of(failure.getSuppressed()).anyMatch(one -> shows(one, seen));
    }

    /** Of the same kind where callers tell kinds apart; any other one keeps the name of its class in its message. */
    private Throwable copy(Throwable failure, Set<Throwable> seen) {
        seen.add(failure);
        String message = text(String.valueOf(failure.getMessage()));
        Throwable next = failure.getCause();
        Throwable cause = next == null || seen.contains(next) ? null : copy(next, seen);
        Throwable copy;
        if (failure instanceof CompletionException) {
            copy = new CompletionException(message, cause);
        } else if (failure instanceof IllegalArgumentException) {
            copy = new IllegalArgumentException(message, cause);
        } else if (failure instanceof IllegalStateException) {
            copy = new IllegalStateException(message, cause);
        } else if (failure instanceof BackendException store) {
            copy = new BackendException(store.effect(), store.kind(), message, cause);
        } else {
            copy = new RuntimeException(text(failure.toString()), cause);
        }
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    @Override
    public String toString() {
        return "Redactor of " + secrets.size() + " secrets";
    }
}
