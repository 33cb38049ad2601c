// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What a step of a {@link Migration} does in the journal's database. Immutable. */
public final class SqlStep {
    /** What MariaDB and H2 can roll back. Everything else may commit by itself there. */
    private static final Set<String> TRANSACTIONAL =
            Set.of("insert", "update", "delete", "replace", "merge", "select", "with");

    /** A step of code: it may be repeated, and its text is not known. */
    static final SqlStep NONE = new SqlStep(List.of(), true, Optional.empty());

    final List<String> statements;
    final Optional<String> undo;
    final boolean outside;

    private SqlStep(List<String> statements, boolean outside, Optional<String> undo) {
        this.statements = statements;
        this.outside = outside;
        this.undo = undo;
    }

    /**
     * Statements in one fenced transaction: all of them happen, once, or none. MariaDB, MySQL and H2 commit by themselves when tables
     * are changed: a statement that does so is a step of its own there, and is not repeated if it is unknown whether it was executed.
     *
     * @param statements one statement each, without a semicolon at the end
     */
    public static SqlStep script(String... statements) {
        if (statements.length == 0) {
            throw new IllegalArgumentException("a step needs a statement");
        }
        return new SqlStep(Arrays.stream(statements).map(String::strip).toList(), false, Optional.empty());
    }

    /**
     * One statement outside of a transaction, such as {@code CREATE INDEX CONCURRENTLY}: neither a transaction nor a lock is held
     * meanwhile. If its runner dies, it is executed again, so it must bear that, or have an {@link #undoIfBroken}.
     */
    public static SqlStep outside(String statement) {
        return new SqlStep(List.of(statement.strip()), true, Optional.empty());
    }

    /**
     * What makes it possible to execute a statement again that may have been executed, wholly or half: {@code DROP … IF EXISTS}, say. It
     * is executed after a process died in the step, and for {@link #outside} also after the statement has failed.
     */
    public SqlStep undoIfBroken(String statement) {
        if (statements.size() > 1) {
            throw new IllegalArgumentException("undoIfBroken goes with one statement: make each a step of its own");
        }
        return new SqlStep(statements, outside, Optional.of(statement.strip()));
    }

    /** May what was perhaps executed be executed again? */
    boolean mayRepeat() {
        return outside || undo.isPresent();
    }

    boolean isTransactional(Journal.Product product) {
        return !outside
                && (product == Journal.Product.POSTGRESQL
                        || statements.stream().allMatch(text -> TRANSACTIONAL.contains(verb(text))));
    }

    private static String verb(String statement) {
        return statement.split("\\W", 2)[0].toLowerCase(Locale.ROOT);
    }

    /** Tells a changed text, and is no protection against somebody who wants to deceive. */
    String checksum() {
        byte[] text = String.join("\0", statements).getBytes(StandardCharsets.UTF_8);
        return statements.isEmpty() ? "code" : UUID.nameUUIDFromBytes(text).toString();
    }
}
