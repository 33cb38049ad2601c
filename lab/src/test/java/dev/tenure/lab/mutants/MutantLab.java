// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.mutants;

import dev.tenure.algorithms.Machine;
import dev.tenure.lab.check.Check;
import dev.tenure.testing.VirtualTime;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compiles a mutant, and runs seeds with it in a class loader of its own until one complains. */
final class MutantLab {
    private static final Path SOURCES =
            Path.of("..", "algorithms", "src", "main", "java", "dev", "tenure", "algorithms");
    private static final List<String> OURS = List.of("dev.tenure.algorithms.", "dev.tenure.lab.");

    private final Path work;

    MutantLab(Path work) {
        this.work = work;
    }

    /** The complaint of the first seed that has one. */
    Optional<String> hunt(Mutant mutant, long seeds) throws Exception {
        ClassLoader mutated = new Loader(compile(mutant));
        Class<?> algorithms = mutated.loadClass("dev.tenure.algorithms.Algorithm");
        Object algorithm = algorithms
                .getMethod("valueOf", String.class)
                .invoke(null, mutant.algorithm().name());
        Method run = mutated.loadClass(Check.class.getName()).getMethod("run", algorithms, long.class);
        for (long seed = 1; seed <= seeds; seed++) {
            Optional<?> found = (Optional<?>) run.invoke(null, algorithm, seed);
            if (found.isPresent()) {
                return found.map(Object::toString);
            }
        }
        return Optional.empty();
    }

    private Map<String, byte[]> compile(Mutant mutant) throws IOException {
        Path original = SOURCES.resolve(mutant.file());
        Path source = work.resolve(original.getFileName());
        Files.writeString(source, mutant.applyTo(Files.readString(original)));
        Path classes = Files.createDirectories(work.resolve("classes"));
        StringWriter complaints = new StringWriter();
        PrintWriter out = new PrintWriter(complaints);
        int code = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        out,
                        out,
                        "--release",
                        "17",
                        "-proc:none",
                        "-nowarn",
                        "-cp",
                        classPath(),
                        "-d",
                        classes.toString(),
                        source.toString());
        if (code != 0) {
            throw new IllegalStateException("mutant '" + mutant + "' does not compile:\n" + complaints);
        }
        return filesIn(classes);
    }

    private static String classPath() {
        return Stream.concat(
                        Stream.of(Machine.class, Check.class, VirtualTime.class)
                                .map(type -> type.getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .getPath()),
                        Stream.of(System.getProperty("java.class.path", "")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Map<String, byte[]> filesIn(Path classes) throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        try (Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = classes.relativize(file).toString();
                files.put(
                        name.substring(0, name.length() - ".class".length()).replace(File.separatorChar, '.'),
                        Files.readAllBytes(file));
            }
        }
        return files;
    }

    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> replaced;

        Loader(Map<String, byte[]> replaced) {
            super(MutantLab.class.getClassLoader());
            this.replaced = replaced;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (OURS.stream().noneMatch(name::startsWith)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                byte[] file = replaced.containsKey(name) ? replaced.get(name) : read(name);
                return defineClass(name, file, 0, file.length);
            }
        }

        private byte[] read(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
