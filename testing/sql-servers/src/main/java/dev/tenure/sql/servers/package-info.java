/** Real servers of PostgreSQL and MariaDB, and what is put in front of them, for tests and measurements. Unpublished. */
@NullMarked
package dev.tenure.sql.servers;

import org.jspecify.annotations.NullMarked;
