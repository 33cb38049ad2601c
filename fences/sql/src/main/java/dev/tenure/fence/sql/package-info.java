/**
 * The fence inside a relational database: a row per resource that remembers the newest term. {@link
 * dev.tenure.fence.sql.FencedSql} is for code that knows Tenure, and {@link dev.tenure.fence.sql.TableGuard} puts triggers on
 * tables for everybody else. Read {@code FencedSql} first, then {@code FenceRows}, which says why it is safe.
 */
@NullMarked
package dev.tenure.fence.sql;

import org.jspecify.annotations.NullMarked;
