/** What carries out the machines' effects: everything here is confined to the one loop of its client. */
@NullMarked
package dev.tenure.internal.loop;

import org.jspecify.annotations.NullMarked;
