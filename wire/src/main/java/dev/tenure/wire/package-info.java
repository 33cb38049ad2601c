/**
 * What backends that speak their store's own protocol share, on channels of the JDK: bytes that nobody waits for, and one
 * thread for any number of connections. For backends, not for applications.
 */
@NullMarked
package dev.tenure.wire;

import org.jspecify.annotations.NullMarked;
