// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.analysis.hunspell.Dictionary;
import org.apache.lucene.analysis.hunspell.Hunspell;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The words of the documentation are in the dictionary of American English, or in {@code docs/words.txt}. */
class DocSpellingTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path WORDS = ROOT.resolve("docs/words.txt");
    private static final String DICTIONARY = "/META-INF/resources/webjars/typo-js/1.2.5/dictionaries/en_US/en_US";
    /** Code, addresses of links, and marks that are not words. */
    private static final Pattern NO_PROSE = Pattern.compile(
            "^```.*?^```$|`[^`]*`|\\]\\([^)]*\\)|<[^>]*>|&[a-z]+;|https?://\\S+|\\S+@\\S+|\\{[^}]*\\}",
            Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern WORD =
            Pattern.compile("(?<![\\w\\p{L}./-])\\p{L}{2,}(?:['’][a-z]+)?(?![\\w\\p{L}/]|\\.\\w)");

    private static Hunspell dictionary;
    private static Set<String> own;

    @BeforeAll
    static void read() throws Exception {
        try (InputStream rules = resource(".aff");
                InputStream words = resource(".dic");
                ByteBuffersDirectory folder = new ByteBuffersDirectory()) {
            dictionary = new Hunspell(new Dictionary(folder, "words", rules, words));
        }
        own = new HashSet<>(Files.readAllLines(WORDS));
    }

    private static InputStream resource(String ending) {
        return Optional.ofNullable(DocSpellingTest.class.getResourceAsStream(DICTIONARY + ending))
                .orElseThrow();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> wordsOf(String markdown) {
        Matcher word = WORD.matcher(NO_PROSE.matcher(markdown).replaceAll(" "));
        Set<String> words = new TreeSet<>();
        while (word.find()) {
            words.add(word.group().replace('’', '\''));
        }
        return words;
    }

    /** Names such as {@code LeaseStore} and abbreviations such as {@code FLP} are nobody's spelling. */
    private static boolean isKnown(String word) {
        String bare = word.replaceFirst("'s$", "");
        return bare.chars().skip(1).anyMatch(Character::isUpperCase)
                || own.contains(bare)
                || own.contains(bare.toLowerCase(Locale.ROOT))
                || dictionary.spell(bare);
    }

    private static Set<String> unknown(String markdown) {
        return wordsOf(markdown).stream().filter(word -> !isKnown(word)).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void every_word_is_spelled_as_in_a_dictionary() throws IOException {
        TreeMap<String, Set<String>> wrong = new TreeMap<>();
        for (Path page : pages()) {
            Set<String> unknown = unknown(Files.readString(page));
            if (!unknown.isEmpty()) {
                wrong.put(ROOT.relativize(page).toString(), unknown);
            }
        }

        assertThat(wrong).as("mend the page, or add the word to docs/words.txt").isEmpty();
    }

    @Test
    void the_list_of_own_words_is_sorted_and_has_no_word_that_is_not_needed() throws IOException {
        List<String> lines = Files.readAllLines(WORDS);
        Set<String> used = new HashSet<>();
        for (Path page : pages()) {
            for (String word : wordsOf(Files.readString(page))) {
                String bare = word.replaceFirst("'s$", "");
                used.add(bare);
                used.add(bare.toLowerCase(Locale.ROOT));
            }
        }

        assertThat(lines).isSortedAccordingTo(String.CASE_INSENSITIVE_ORDER).doesNotHaveDuplicates();
        assertThat(lines).allMatch(used::contains);
        assertThat(lines).noneMatch(dictionary::spell);
    }

    @Test
    void a_word_that_is_misspelled_is_found_and_code_is_left_alone() {
        assertThat(unknown("A recieved token, `recieved` and\n```sh\nrecieved\n```\nas in [text](recieved.md)."))
                .containsExactly("recieved");
    }
}
