/**
 * Faults on real clusters: candidates as processes of their own, a store whose servers are killed, stopped, cut off and
 * robbed of their records, and a fenced ledger beside it that every leader writes to. Unpublished; {@code testing/faults/run
 * --help} says how to run it. Read {@link dev.tenure.faults.FaultCampaign} first.
 */
@NullMarked
package dev.tenure.faults;

import org.jspecify.annotations.NullMarked;
