/**
 * Elections as advisory locks of PostgreSQL, with a row for each that counts its terms. A session is a physical connection: the
 * lock lives as long as the server keeps it, and the server ends it when it has been silent for the TTL.
 */
@NullMarked
package dev.tenure.jdbc.advisory;

import org.jspecify.annotations.NullMarked;
