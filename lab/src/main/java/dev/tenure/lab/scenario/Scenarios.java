// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The scenarios that come with the lab. */
public final class Scenarios {
    /** The names of their files. */
    public static final List<String> NAMES = List.of(
            "leader-crash",
            "paused-leader",
            "partition",
            "one-way-partition",
            "split-vote",
            "duelling-proposers",
            "rolling-restart",
            "flapping-link");

    private Scenarios() {}

    /** @throws IllegalArgumentException if there is none of that name */
    public static Scenario load(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("no scenario '" + name + "': there are " + String.join(", ", NAMES));
        }
        return ScenarioFile.parse(text(name));
    }

    public static String text(String name) {
        try (InputStream in = Scenarios.class.getResourceAsStream(name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException("the scenario " + name + " is missing in this build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
