/** Sessions and claims over a store that only compares and sets: one adapter for every such store. */
@NullMarked
package dev.tenure.internal.lease;

import org.jspecify.annotations.NullMarked;
