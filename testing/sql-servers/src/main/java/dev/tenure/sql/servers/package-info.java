/** Real servers of PostgreSQL and MariaDB for tests and measurements. Unpublished. */
@NullMarked
package dev.tenure.sql.servers;

import org.jspecify.annotations.NullMarked;
