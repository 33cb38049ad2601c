// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Where the program of Consul is: named by {@code TENURE_CONSUL}, or in the cache folder, and put there first if need be. */
public final class ConsulProgram {
    private static final int FETCH_SECONDS_MAX = 180;

    private ConsulProgram() {}

    public static synchronized Path path() {
        String named = System.getenv("TENURE_CONSUL");
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        try (InputStream script = ConsulProgram.class.getResourceAsStream("fetch-consul")) {
            if (script == null) {
                throw new IllegalStateException("fetch-consul is missing among the classes");
            }
            return fetch(script.readAllBytes());
        } catch (IOException unexpected) {
            throw new IllegalStateException("Consul cannot be had", unexpected);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Consul was fetched", interrupted);
        }
    }

    private static Path fetch(byte[] script) throws IOException, InterruptedException {
        Process fetching = new ProcessBuilder("sh", "-s")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream in = fetching.getOutputStream()) {
            in.write(script);
        }
        try (InputStream out = fetching.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!fetching.waitFor(FETCH_SECONDS_MAX, TimeUnit.SECONDS) || fetching.exitValue() != 0) {
                throw new IllegalStateException(
                        "Consul of Debian cannot be had: see what fetch-consul says, connect this"
                                + " machine to a Debian mirror, or name a program by TENURE_CONSUL=PATH");
            }
            return Path.of(printed);
        }
    }
}
