/**
 * What is done to candidates, links and stores: one small record each. Read {@link dev.tenure.faults.fault.InjectedFault} first,
 * then {@link dev.tenure.faults.fault.Faults}, which says which of them a store is put through.
 */
@NullMarked
package dev.tenure.faults.fault;

import org.jspecify.annotations.NullMarked;
