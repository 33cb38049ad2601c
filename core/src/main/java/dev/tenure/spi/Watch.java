// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/** A running notification. Closing is idempotent; no hint starts after it. */
@FunctionalInterface
public interface Watch extends AutoCloseable {
    @Override
    void close();
}
