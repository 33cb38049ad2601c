/** {@code tenure resign} and {@code tenure era}: what operators do to a running system. */
@NullMarked
package dev.tenure.cli.operate;

import org.jspecify.annotations.NullMarked;
