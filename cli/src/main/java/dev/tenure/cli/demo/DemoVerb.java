package dev.tenure.cli.demo;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import java.io.IOException;
import java.util.List;

/** {@code tenure demo}: three candidates, a crash and a zombie. */
public final class DemoVerb implements Verb {
    @Override
    public Usage usage() {
        return new Usage(
                "demo",
                List.of("demo"),
                "watch three candidates, a crash and a zombie, in about ten seconds",
                """
                Three real processes stand in one election on a private store in a temporary directory. The leader is killed
                with SIGKILL; the next one is stopped with SIGSTOP in the middle of a write and wakes up when another leads.
                Nothing is left behind, also after Ctrl-C.
                """,
                List.of(),
                List.of(),
                List.of("tenure demo"));
    }

    @Override
    public int run(Options options, Console console) throws IOException, InterruptedException {
        options.refuseOperands(0);
        Narration narration = new Narration(console);
        try (Stage stage = new Stage()) {
            new Demo(stage, narration).play();
        }
        return ExitCode.OK;
    }
}
