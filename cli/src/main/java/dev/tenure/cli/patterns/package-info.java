/** {@code tenure cron} and {@code tenure migration}: what the journals of the patterns say. */
@NullMarked
package dev.tenure.cli.patterns;

import org.jspecify.annotations.NullMarked;
