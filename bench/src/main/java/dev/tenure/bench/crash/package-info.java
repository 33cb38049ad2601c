/** How long a group without a store has no leader when its leader is killed. */
@NullMarked
package dev.tenure.bench.crash;

import org.jspecify.annotations.NullMarked;
