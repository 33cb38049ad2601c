/**
 * Elections in one table of a relational database. {@code CallBatcher} brings calls to the few connections there are, {@code
 * DatabaseAccess} to a table that is there, {@code RecordTable} is the table, {@link dev.tenure.jdbc.Dialect} is where databases
 * differ, and {@link dev.tenure.jdbc.SqlErrors} says what is wrong. Read {@link dev.tenure.jdbc.JdbcStore} first: it answers the calls.
 *
 * <p>{@link dev.tenure.jdbc.JdbcTarget}, {@link dev.tenure.jdbc.NotificationListener} and {@link dev.tenure.jdbc.SqlCall} are public
 * for {@code tenure-postgres-advisory} and may change.
 */
@NullMarked
package dev.tenure.jdbc;

import org.jspecify.annotations.NullMarked;
