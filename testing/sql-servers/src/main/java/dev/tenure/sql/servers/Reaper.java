package dev.tenure.sql.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Ends the servers of this JVM and removes their folders when it ends, also by SIGKILL: a shell reads their process ids from
 * a pipe that only this JVM holds, and acts when the pipe closes. A signal to the whole group of processes ends the JVM, not
 * the shell.
 *
 * <p>SIGQUIT first, because a PostgreSQL that is killed leaves a segment of shared memory behind; and the workers of a frozen
 * server are woken, because they would not notice that it is gone.
 */
final class Reaper {
    private static final String SCRIPT =
            "trap '' HUP INT TERM; all=; while read -r pid folder; do all=\"$all $pid:$folder\"; done; "
                    + "family() { echo \"$1\" $(cat \"/proc/$1/task/$1/children\"); }; "
                    + "for each in $all; do pid=${each%%:*}; "
                    + "[ -d \"/proc/$pid\" ] || continue; kill -QUIT \"$pid\"; kill -CONT $(family \"$pid\"); done 2>/dev/null; "
                    + "for turn in 1 2 3 4 5 6 7 8 9 10; do left=; for each in $all; do "
                    + "[ -d \"/proc/${each%%:*}\" ] && left=yes; done; [ -z \"$left\" ] && break; sleep 0.2; done; "
                    + "for each in $all; do pid=${each%%:*}; [ -d \"/proc/$pid\" ] && kill -9 $(family \"$pid\"); "
                    + "rm -rf \"${each#*:}\"; done 2>/dev/null";

    private static Optional<OutputStream> pipe = Optional.empty();

    private Reaper() {}

    /** @param folder removed with it; without spaces */
    static synchronized void watch(long pid, Path folder) {
        try {
            OutputStream watcher = pipe.isPresent() ? pipe.get() : watcher();
            pipe = Optional.of(watcher);
            watcher.write((pid + " " + folder + "\n").getBytes(StandardCharsets.UTF_8));
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
