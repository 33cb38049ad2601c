// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import dev.tenure.Tenure;
import dev.tenure.testing.VirtualTime;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** Compiles the one changed file of a mutant against the classes that are running. Needs a JDK. */
final class MutantCompiler {
    private final Path root;

    /** @param root of a checkout of this repository */
    MutantCompiler(Path root) {
        this.root = root;
    }

    /** The class files of the changed source, by binary name. */
    Map<String, byte[]> compile(Mutant mutant) throws IOException {
        String changed = mutant.applyTo(Files.readString(root.resolve(mutant.file())));
        Path work = Files.createTempDirectory("tenure-mutant");
        try {
            Path source =
                    work.resolve("src").resolve(root.resolve(mutant.file()).getFileName());
            Path classes = Files.createDirectories(work.resolve("classes"));
            Files.createDirectories(work.resolve("src"));
            Files.writeString(source, changed);
            javac(mutant, source, classes);
            return filesIn(classes);
        } finally {
            delete(work);
        }
    }

    private static void javac(Mutant mutant, Path source, Path classes) {
        ToolProvider javac = ToolProvider.findFirst("javac")
                .orElseThrow(() -> new IllegalStateException("mutants are compiled: this needs a JDK, not only a JRE"));
        StringWriter complaints = new StringWriter();
        PrintWriter out = new PrintWriter(complaints);
        int code = javac.run(
                out,
                out,
                "--release",
                "17",
                "-proc:none",
                "-nowarn",
                "-Xlint:none",
                "-cp",
                classPath(),
                "-d",
                classes.toString(),
                source.toString());
        if (code != 0) {
            throw new IllegalStateException("mutant '" + mutant.name() + "' does not compile:\n" + complaints);
        }
    }

    private static String classPath() {
        Set<String> path = new LinkedHashSet<>();
        for (Class<?> type : List.of(Tenure.class, VirtualTime.class, MutantCompiler.class)) {
            try {
                path.add(Path.of(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString());
            } catch (URISyntaxException odd) {
                throw new IllegalStateException(odd);
            }
        }
        path.add(System.getProperty("java.class.path", ""));
        return String.join(File.pathSeparator, path);
    }

    private static Map<String, byte[]> filesIn(Path classes) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = classes.relativize(file).toString();
                String binary =
                        name.substring(0, name.length() - ".class".length()).replace(File.separatorChar, '.');
                files.put(binary, Files.readAllBytes(file));
            }
        }
        return files;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
