/**
 * Elections in one table of a relational database.
 *
 * <p>{@link dev.tenure.jdbc.JdbcStore} answers calls, {@code CallQueue} brings them to the few connections there are, {@code
 * Records} is the table, {@link dev.tenure.jdbc.Dialect} is where databases differ, {@code Trouble} says what is wrong.
 */
@NullMarked
package dev.tenure.jdbc;

import org.jspecify.annotations.NullMarked;
