/** What is done to candidates, links and stores: one small class each. */
@NullMarked
package dev.tenure.faults.fault;

import org.jspecify.annotations.NullMarked;
