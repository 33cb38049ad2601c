/**
 * Elections in a majority of independent servers of Redis. Read {@link dev.tenure.redis.redlock.RedlockStore} first: it counts the
 * {@code Votes} of its servers. Whether that is safe is disputed; the page on Redis says why.
 */
@NullMarked
package dev.tenure.redis.redlock;

import org.jspecify.annotations.NullMarked;
