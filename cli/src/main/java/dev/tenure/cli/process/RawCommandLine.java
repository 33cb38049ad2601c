// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The bytes of a command line. To the operating system arguments are bytes, and a file name need not be text; the JVM
 * has already decoded them, in a C locale beyond repair ({@code é} arrives as {@code ?}). Where the command is the
 * tail of this JVM's own command line, as in {@code tenure run … -- COMMAND ARGS}, the bytes are taken from there.
 */
public final class RawCommandLine {

    private static final Path OWN_COMMAND_LINE = Path.of("/proc/self/cmdline");

    private RawCommandLine() {}

    /** The words of this process's own command line, as UTF-8 whatever the locale: else two elections could become one. */
    public static List<String> decoded(List<String> words) {
        boolean surelyRight = words.stream().allMatch(word -> skeleton(word).equals(word));
        return surelyRight ? words : decoded(words, ownCommandLine());
    }

    static List<String> decoded(List<String> words, List<byte[]> ownCommandLine) {
        return bytesOf(words, ownCommandLine).stream()
                .map(bytes -> new String(bytes, UTF_8))
                .toList();
    }

    static List<byte[]> bytesOf(List<String> command) {
        return bytesOf(command, ownCommandLine());
    }

    static List<byte[]> bytesOf(List<String> command, List<byte[]> ownCommandLine) {
        int skipped = ownCommandLine.size() - command.size();
        List<byte[]> tail = skipped > 0 ? ownCommandLine.subList(skipped, ownCommandLine.size()) : List.of();
        boolean isOurs = !tail.isEmpty()
                && IntStream.range(0, tail.size())
                        .allMatch(i ->
                                skeleton(new String(tail.get(i), ISO_8859_1)).equals(skeleton(command.get(i))));
        // Of some other command not one word comes from there.
        return isOurs
                ? tail
                : command.stream().map(word -> word.getBytes(UTF_8)).toList();
    }

    /** What every decoding agrees on: ASCII, but for the {@code ?} that stands for what could not be decoded. */
    private static String skeleton(String word) {
        return word.replaceAll("[^\\x00-\\x7f]|[?]", "");
    }

    private static List<byte[]> ownCommandLine() {
        try {
            String[] words =
                    Files.readString(OWN_COMMAND_LINE, ISO_8859_1).split("\0", -1); // NUL ends the last one too
            return Stream.of(words)
                    .limit(words.length - 1)
                    .map(word -> word.getBytes(ISO_8859_1))
                    .toList();
        } catch (IOException notLinux) {
            return List.of();
        }
    }
}
