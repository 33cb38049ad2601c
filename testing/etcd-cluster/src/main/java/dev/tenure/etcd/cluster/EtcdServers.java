// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Where the programs of etcd are: in the cache folder, and put there first if need be. */
public enum EtcdServers {
    /** 3.4: the oldest that is supported. */
    OLDEST("bookworm"),
    /** 3.5, with nothing known against it. */
    NEWEST("sid");

    private static final int FETCH_SECONDS_MAX = 180;

    private final String suite;

    EtcdServers(String suite) {
        this.suite = suite;
    }

    public Path etcd() {
        return folder().resolve("etcd");
    }

    public Path etcdctl() {
        return folder().resolve("etcdctl");
    }

    private synchronized Path folder() {
        try (InputStream script = EtcdServers.class.getResourceAsStream("fetch-etcd")) {
            if (script == null) {
                throw new IllegalStateException("fetch-etcd is missing among the classes");
            }
            return Path.of(fetch(script.readAllBytes()));
        } catch (IOException unexpected) {
            throw new IllegalStateException("etcd of Debian " + suite + " cannot be had", unexpected);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while etcd was fetched", interrupted);
        }
    }

    private String fetch(byte[] script) throws IOException, InterruptedException {
        Process fetching = new ProcessBuilder("sh", "-s", suite)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream in = fetching.getOutputStream()) {
            in.write(script);
        }
        try (InputStream out = fetching.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!fetching.waitFor(FETCH_SECONDS_MAX, TimeUnit.SECONDS) || fetching.exitValue() != 0) {
                throw new IllegalStateException("etcd of Debian " + suite
                        + " cannot be had: see what fetch-etcd says, or connect this machine to a Debian mirror");
            }
            return printed;
        }
    }
}
