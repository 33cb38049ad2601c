package dev.tenure.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of this process's command line. In a C locale the JVM turns every byte beyond ASCII into {@code ?}, and two
 * elections would become one; so where that may have happened the bytes are read again, as UTF-8.
 */
final class OwnArguments {
    private static final Path OWN_COMMAND_LINE = Path.of("/proc/self/cmdline");

    private OwnArguments() {}

    static List<String> decoded(String[] args) {
        List<String> words = List.of(args);
        return words.stream().allMatch(OwnArguments::isSurelyRight) ? words : decoded(words, ownCommandLine());
    }

    private static boolean isSurelyRight(String word) {
        return word.chars().allMatch(c -> c < 0x7f && c != '?');
    }

    /** The tail of the command line, if it is as long as that and agrees in all that is surely right. */
    static List<String> decoded(List<String> words, List<String> commandLine) {
        int skipped = commandLine.size() - words.size();
        if (skipped < 0) {
            return words;
        }
        List<String> tail = commandLine.subList(skipped, commandLine.size());
        for (int i = 0; i < tail.size(); i++) {
            if (isSurelyRight(words.get(i)) && !words.get(i).equals(tail.get(i))) {
                return words;
            }
        }
        return List.copyOf(tail);
    }

    private static List<String> ownCommandLine() {
        try {
            List<String> words = new ArrayList<>();
            ByteArrayOutputStream word = new ByteArrayOutputStream();
            for (byte b : Files.readAllBytes(OWN_COMMAND_LINE)) {
                if (b == 0) {
                    words.add(word.toString(StandardCharsets.UTF_8));
                    word.reset();
                } else {
                    word.write(b);
                }
            }
            return words;
        } catch (IOException notLinux) {
            return List.of();
        }
    }
}
