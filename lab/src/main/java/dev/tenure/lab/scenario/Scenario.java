// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.scenario;

import dev.tenure.lab.fault.Fault;
import java.util.List;

/** A story that any algorithm can be put through. */
public record Scenario(String name, String about, int nodes, long seed, long forNanos, List<Fault> faults) {
    public Scenario {
        faults = List.copyOf(faults);
    }
}
