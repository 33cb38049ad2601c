// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the programs of a server are: installed on this machine, or in the cache folder, and put there first if need be.
 *
 * @param root {@code /}, or the folder into which packages were unpacked
 */
public record Installation(Path root) {
    private static final int FETCH_SECONDS_MAX = 240;
    private static final Map<String, Installation> FOUND = new ConcurrentHashMap<>();

    /** @param server what {@code fetch-server} knows, such as {@code postgresql} or {@code redis} */
    public static Installation of(String server) {
        return FOUND.computeIfAbsent(server, Installation::find);
    }

    private static Installation find(String server) {
        try (InputStream script = Installation.class.getResourceAsStream("fetch-server")) {
            if (script == null) {
                throw new IllegalStateException("fetch-server is missing among the classes");
            }
            return new Installation(Path.of(fetch(server, script.readAllBytes())));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + server + " was fetched", interrupted);
        }
    }

    private static String fetch(String server, byte[] script) throws IOException, InterruptedException {
        Process fetching = new ProcessBuilder("sh", "-s", server)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream in = fetching.getOutputStream()) {
            in.write(script);
        }
        try (InputStream out = fetching.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!fetching.waitFor(FETCH_SECONDS_MAX, TimeUnit.SECONDS) || fetching.exitValue() != 0) {
                throw new IllegalStateException(
                        server
                                + " cannot be had: see what fetch-server says, install it, or connect this machine to a Debian mirror");
            }
            return printed;
        }
    }

    public Path program(String path) {
        return root.resolve(path);
    }

    /** The newest folder of this name pattern, such as {@code usr/lib/postgresql/15}. */
    public Path newestIn(String parent) {
        try (Stream<Path> versions = Files.list(root.resolve(parent))) {
            return versions.max(Comparator.comparingDouble(
                            folder -> Double.parseDouble(folder.getFileName().toString())))
                    .orElseThrow();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The command for a program that was unpacked with a C library of its own, or is installed. */
    public List<String> withItsOwnLoader(String path) {
        String program = program(path).toString();
        if (isInstalled()) {
            return List.of(program);
        }
        try (Stream<Path> files = Files.walk(root.resolve("usr/lib"), 2)) {
            Path loader = files.filter(file -> file.getFileName().toString().startsWith("ld-linux"))
                    .findFirst()
                    .orElseThrow();
            String libraries = String.valueOf(loader.getParent());
            return List.of(loader.toString(), "--library-path", libraries, program);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private boolean isInstalled() {
        return root.getNameCount() == 0;
    }

    /** What an unpacked program needs to find its libraries; nothing for an installed one. */
    public Map<String, String> environment() {
        if (isInstalled()) {
            return Map.of();
        }
        return Map.of(
                "LD_LIBRARY_PATH",
                Stream.of("usr/lib", "lib").flatMap(this::libraries).collect(Collectors.joining(":")));
    }

    private Stream<String> libraries(String parent) {
        Path folder = root.resolve(parent);
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(Path::toString).filter(name -> name.endsWith("-linux-gnu")).toList().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
