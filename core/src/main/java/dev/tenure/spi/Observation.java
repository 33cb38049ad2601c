// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import dev.tenure.ElectionName;
import dev.tenure.Leader;
import java.util.Optional;

/**
 * One election as the store shows it.
 *
 * @param tokenMax the highest token that the record has carried, or 0
 */
public record Observation(ElectionName election, Optional<Leader> leader, long tokenMax) {}
