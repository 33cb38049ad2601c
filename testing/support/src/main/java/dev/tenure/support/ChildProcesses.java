// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Signals to processes that this JVM has started, and their end. */
public final class ChildProcesses {
    private static final int END_SECONDS_MAX = 30;

    /**
     * One shell for each process. It reads from a pipe that only this JVM holds: it acts when the pipe closes, and is told when
     * the process has ended by itself, so that it never signals another one that got the same number. Its arguments are the
     * process and, if there is one, the folder.
     */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            family() { echo "$0" $(cat "/proc/$0/task/$0/children"); }
            read -r ended || {
                if [ -n "$1" ]; then
                    kill -QUIT "$0"
                    kill -CONT $(family)
                    for turn in 1 2 3 4 5 6 7 8 9 10; do [ -d "/proc/$0" ] || break; sleep 0.2; done
                fi
                kill -9 $(family)
            }
            [ -z "$1" ] || { cat; rm -rf "$1"; }
            """;

    /** Kept, for a stream that nobody refers to may be closed. */
    private static final Queue<OutputStream> PIPES = new ConcurrentLinkedQueue<>();

    private ChildProcesses() {}

    /**
     * The process is killed when this JVM ends, also by SIGKILL. End of input would not do: a process that is stopped does not
     * read it.
     */
    public static void endWithThisJvm(ProcessHandle process) {
        watch(process, "");
    }

    /**
     * The same for a server with workers, whose folder is removed then too. It is sent SIGQUIT first, because a PostgreSQL that
     * is killed leaves a segment of shared memory behind; and the workers of a frozen server are woken, because they would not
     * notice that it is gone.
     */
    public static void endWithThisJvm(ProcessHandle server, Path folder) {
        watch(server, folder.toString());
    }

    private static void watch(ProcessHandle process, String folder) {
        try {
            OutputStream pipe = new ProcessBuilder("sh", "-c", SCRIPT, Long.toString(process.pid()), folder)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream();
            PIPES.add(pipe);
            CompletionStage<ProcessHandle> end = process.onExit();
            end.thenRun(() -> tellEnded(pipe));
        } catch (IOException failure) {
            throw new UncheckedIOException("process " + process.pid() + " cannot be watched", failure);
        }
    }

    private static void tellEnded(OutputStream pipe) {
        try {
            pipe.write("ended\n".getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The process neither runs nor ends, and its connections stay open, until it is told to {@linkplain #resume go on}. */
    public static void stop(ProcessHandle process) {
        signal("STOP", process);
    }

    public static void resume(ProcessHandle process) {
        signal("CONT", process);
    }

    private static void signal(String name, ProcessHandle process) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " " + process.pid() + " failed");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** With SIGKILL; returns when the process has ended. */
    public static void kill(Process process) {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
