/**
 * Elections in Consul, in the same key layout as {@code consul lock}.
 *
 * <p>{@code ConsulBackend} answers calls and {@code ConsulSession} those of one session. {@code KeyWatch} hears of changes,
 * {@code LockValue} is what stands in the keys that {@code KeyLayout} names, and {@code ConsulClient} is the way to the servers. Read
 * {@code ConsulSession} first, which has the locks.
 */
@NullMarked
package dev.tenure.consul;

import org.jspecify.annotations.NullMarked;
