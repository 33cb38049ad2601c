package dev.tenure.cli.lab;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.text.Console;
import java.io.IOException;
import java.net.BindException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** {@code tenure lab serve}: until it is interrupted. */
final class ServeAction {
    private static final int PORT_MAX = 65_535;

    private ServeAction() {}

    static int run(Options options, Console console) throws IOException, InterruptedException {
        options.refuseOperands(1);
        LabOptions.only(options, List.of(LabOptions.PORT));
        int port = (int) LabOptions.number(options, LabOptions.PORT, 0, 0, PORT_MAX);
        try (LabServer server = LabServer.start(port, StoreOptions.host())) {
            console.print("the lab is open at " + server.url() + " (end it with Ctrl-C)");
            new CountDownLatch(1).await();
        } catch (BindException taken) {
            throw new Failure(ExitCode.USAGE, "port " + port + " cannot be had: " + taken.getMessage(), taken);
        }
        return ExitCode.OK;
    }
}
