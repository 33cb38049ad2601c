// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.TenureBuilder;
import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Host;
import dev.tenure.spi.Redactor;

/** Which store a verb talks to. */
public final class StoreOptions {
    public static final Option URL =
            Option.value("--url", "URL", "the store, default local:").or("TENURE_URL");
    private static final String DEFAULT_URL = "local:";

    private StoreOptions() {}

    /** The election that an operand names. */
    public static ElectionName election(String operand) {
        if (operand.contains("://") || operand.equals(DEFAULT_URL) || operand.startsWith("local:/")) {
            throw CliException.usage(Redactor.url(operand) + " is a store URL, not an election: give it with --url");
        }
        return ElectionName.of(operand);
    }

    /** Time, waiting and threads of this process. Ends with the client that it is given to. */
    public static Host host() {
        return SystemHost.start("tenure");
    }

    /** A client that only asks. */
    public static Tenure open(Options options, Host host) {
        try {
            return connect(options).host(host).open();
        } catch (RuntimeException refused) {
            host.shutdown();
            throw refused;
        }
    }

    public static TenureBuilder connect(Options options) {
        return Tenure.connect(options.value(URL).orElse(DEFAULT_URL));
    }
}
