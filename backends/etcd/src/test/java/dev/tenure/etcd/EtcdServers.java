package dev.tenure.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Where the programs of etcd are: in the cache folder, and put there first if need be. */
enum EtcdServers {
    /** 3.4: the oldest that is supported. */
    OLDEST("bookworm"),
    /** 3.5, with nothing known against it. */
    NEWEST("sid");

    private static final int FETCH_SECONDS_MAX = 180;

    private final String suite;

    EtcdServers(String suite) {
        this.suite = suite;
    }

    Path etcd() {
        return folder().resolve("etcd");
    }

    Path etcdctl() {
        return folder().resolve("etcdctl");
    }

    private synchronized Path folder() {
        Path script = Path.of("fetch-etcd").toAbsolutePath();
        if (!Files.isExecutable(script)) {
            throw new IllegalStateException("run the tests of etcd in its module: there is no " + script);
        }
        try {
            Process fetching = new ProcessBuilder(script.toString(), suite)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (InputStream out = fetching.getInputStream()) {
                String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
                if (!fetching.waitFor(FETCH_SECONDS_MAX, TimeUnit.SECONDS) || fetching.exitValue() != 0) {
                    throw new IllegalStateException("etcd of Debian " + suite + " cannot be had: see what " + script
                            + " says, or connect this machine to a Debian mirror");
                }
                return Path.of(printed);
            }
        } catch (IOException unexpected) {
            throw new IllegalStateException("etcd of Debian " + suite + " cannot be had", unexpected);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while etcd was fetched", interrupted);
        }
    }
}
