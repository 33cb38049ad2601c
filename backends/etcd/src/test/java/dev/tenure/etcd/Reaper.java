package dev.tenure.etcd;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Ends the servers of this JVM when it ends, also by SIGKILL: a shell reads their process ids from a pipe that only this
 * JVM holds, and kills them when the pipe closes.
 */
final class Reaper {
    private static final String SCRIPT = "pids=; while read -r pid; do pids=\"$pids $pid\"; done; "
            + "for pid in $pids; do kill -9 \"$pid\"; done 2>/dev/null";

    private static OutputStream pipe;

    private Reaper() {}

    static synchronized void watch(long pid) {
        try {
            if (pipe == null) {
                pipe = new ProcessBuilder("sh", "-c", SCRIPT)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .getOutputStream();
            }
            pipe.write((pid + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException failure) {
            throw new IllegalStateException("the servers could not be put under watch", failure);
        }
    }
}
