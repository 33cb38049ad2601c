/**
 * Relational databases under test: the table, and advisory locks of PostgreSQL. Read {@link dev.tenure.faults.sql.PostgresStore}
 * first, which has a standby that can be promoted.
 */
@NullMarked
package dev.tenure.faults.sql;

import org.jspecify.annotations.NullMarked;
