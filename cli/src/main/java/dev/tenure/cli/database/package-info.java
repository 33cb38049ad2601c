/**
 * Verbs about tables in a database: fences, cron jobs and migrations. Each opens the database that {@link
 * dev.tenure.cli.database.DatabaseUrl} names, asks the library, and prints the answer. Read {@link
 * dev.tenure.cli.database.FenceCommand} first.
 */
@NullMarked
package dev.tenure.cli.database;

import org.jspecify.annotations.NullMarked;
