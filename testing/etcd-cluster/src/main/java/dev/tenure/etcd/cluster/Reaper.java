package dev.tenure.etcd.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Ends the servers of this JVM when it ends, also by SIGKILL: a shell reads their process ids from a pipe that only this
 * JVM holds, and kills them when the pipe closes. A signal to the whole group of processes ends the JVM, not the shell.
 */
public final class Reaper {
    private static final String SCRIPT =
            "trap '' HUP INT TERM; pids=; while read -r pid; do pids=\"$pids $pid\"; done; "
                    + "for pid in $pids; do kill -9 \"$pid\"; done 2>/dev/null";

    private static Optional<OutputStream> pipe = Optional.empty();

    private Reaper() {}

    public static synchronized void watch(long pid) {
        try {
            OutputStream watcher = pipe.isPresent() ? pipe.get() : watcher();
            pipe = Optional.of(watcher);
            watcher.write((pid + "\n").getBytes(StandardCharsets.US_ASCII));
            watcher.flush();
        } catch (IOException failure) {
            throw new IllegalStateException("the servers could not be put under watch", failure);
        }
    }

    private static OutputStream watcher() throws IOException {
        return new ProcessBuilder("sh", "-c", SCRIPT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .getOutputStream();
    }
}
