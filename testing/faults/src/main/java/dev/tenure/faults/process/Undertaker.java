package dev.tenure.faults.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/**
 * Ends a process when this JVM ends, also by SIGKILL. End of input is not enough: one that is stopped does not read it. So a
 * shell stands beside it and reads from a pipe that only this JVM holds: it kills when the pipe closes, and goes away when it
 * is told that the process has ended by itself.
 */
public final class Undertaker {
    private static final String SCRIPT = "read -r ended || kill -9 \"$0\"";

    private Undertaker() {}

    public static void watch(ProcessHandle process) throws IOException {
        OutputStream pipe = new ProcessBuilder("sh", "-c", SCRIPT, Long.toString(process.pid()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .getOutputStream();
        CompletionStage<ProcessHandle> ended = process.onExit();
        ended.thenRun(() -> dismiss(pipe));
    }

    private static void dismiss(OutputStream pipe) {
        try (pipe) {
            pipe.write("ended\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
