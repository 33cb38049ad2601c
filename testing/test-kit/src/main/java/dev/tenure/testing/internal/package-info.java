/** The one place of the test kit that starts threads. May change at any time. */
@NullMarked
package dev.tenure.testing.internal;

import org.jspecify.annotations.NullMarked;
