package dev.tenure.cli;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.spi.BackendProvider;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** {@code tenure version}. */
final class VersionVerb implements Verb {
    private static final Option JSON = Option.flag("--json", "for programs");

    @Override
    public Usage usage() {
        return new Usage(
                "version",
                List.of("version [--json]"),
                "show the version, the JVM and the backends",
                "",
                List.of(JSON),
                List.of(),
                List.of());
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(0);
        String version = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("(not packaged)");
        String jvm = System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version");
        List<String> schemes = ServiceLoader.load(BackendProvider.class).stream()
                .flatMap(provider -> provider.get().schemes().stream())
                .map(scheme -> scheme + ":")
                .sorted()
                .toList();
        if (options.has(JSON)) {
            console.print(Json.text(Json.object("version", version, "jvm", jvm, "backends", schemes)));
        } else {
            console.print("tenure " + version);
            console.print("jvm " + jvm);
            console.print("backends " + (schemes.isEmpty() ? "none" : String.join(" ", schemes)));
        }
        return ExitCode.OK;
    }
}
