// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The encoding of names, over many of them: from every corner of Unicode, and near each other on purpose. */
class ElectionNamePropertyTest {
    private static final int NAMES = 120_000;
    private static final Pattern SAFE = Pattern.compile("[a-z0-9_%-][a-z0-9_.%-]*");
    /** What is likely to be confused: separators, escapes, case, dots, marks, look-alikes, digits of an escape. */
    private static final int[] TREACHEROUS = {
        '/', '\\', '%', '.', '.', ':', ' ', '~', '*', '?', '"', '<', '|', '-', '_', '2', 'f', 'e', 'F', 'A', 'a', '0',
        '5', 0xe9, 'e', 0x301, 0x212b, 0xc5, 0x30a, 0x1100, 0x1161, 0xac00, 0x200d, 0xfeff, 0x2f, 0xff0f, 0x1f600,
        0x3a9, 0x2126
    };

    private static List<ElectionName> names = List.of();

    @BeforeAll
    static void generate() {
        SplittableRandom random = new SplittableRandom(20260101);
        List<ElectionName> generated = new ArrayList<>(NAMES);
        while (generated.size() < NAMES) {
            StringBuilder text = new StringBuilder();
            int length = 1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 5);
            for (int i = 0; i < length; i++) {
                text.appendCodePoint(codePoint(random));
            }
            if (fits(text.toString())) {
                generated.add(ElectionName.of(text.toString()));
            }
        }
        names = generated;
    }

    private static int codePoint(SplittableRandom random) {
        if (random.nextInt(4) > 0) {
            return TREACHEROUS[random.nextInt(TREACHEROUS.length)];
        }
        while (true) {
            int c = random.nextInt(random.nextBoolean() ? 0x250 : Character.MAX_CODE_POINT + 1);
            boolean surrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
            if (!surrogate && !Character.isISOControl(c)) {
                return c;
            }
        }
    }

    private static boolean fits(String text) {
        String normal = Normalizer.normalize(text, Normalizer.Form.NFC);
        return normal.getBytes(StandardCharsets.UTF_8).length <= ElectionName.BYTES_MAX;
    }

    /** Cheaper than an assertion for each of a million. */
    private static void check(boolean holds, Object of) {
        if (!holds) {
            throw new AssertionError("does not hold for " + of);
        }
    }

    @Test
    void decoding_is_the_inverse_of_encoding() {
        for (ElectionName name : names) {
            check(ElectionName.decode(name.encoded()).equals(name), name);
        }
    }

    @Test
    void different_names_have_different_keys_and_equal_names_equal_ones() {
        Map<String, ElectionName> byKey = new HashMap<>();

        for (ElectionName name : names) {
            ElectionName other = byKey.putIfAbsent(name.encoded(), name);
            check(other == null || other.equals(name), name);
        }

        assertThat(byKey).hasSize((int) names.stream().distinct().count()).hasSizeGreaterThan(NAMES / 2);
    }

    @Test
    void keys_differ_even_where_a_store_folds_case() {
        Map<String, ElectionName> byKey = new HashMap<>();

        for (ElectionName name : names) {
            ElectionName other = byKey.putIfAbsent(name.encoded().toUpperCase(Locale.ROOT), name);
            assertThat(other == null || other.equals(name))
                    .as("%s and %s", other, name)
                    .isTrue();
        }
    }

    @Test
    void every_key_is_one_safe_path_segment() {
        for (ElectionName name : names) {
            String key = name.encoded();

            check(SAFE.matcher(key).matches(), name);
            check(key.length() <= 3 * ElectionName.BYTES_MAX, name);
        }
    }

    @Test
    void no_key_is_a_path_prefix_of_another() {
        TreeSet<String> paths = new TreeSet<>();
        names.forEach(name -> paths.add("c/" + name.encoded() + "/"));

        String before = "?";
        for (String path : paths) {
            assertThat(path.startsWith(before))
                    .as("%s is under %s", path, before)
                    .isFalse();
            before = path;
        }
    }

    @Test
    void both_normal_forms_of_a_name_are_the_same_election() {
        int decomposed = 0;
        for (ElectionName name : names) {
            String nfd = Normalizer.normalize(name.value(), Normalizer.Form.NFD);
            decomposed += nfd.equals(name.value()) ? 0 : 1;

            check(ElectionName.of(nfd).equals(name), name);
        }
        assertThat(decomposed).isGreaterThan(1000);
    }

    @Test
    void pairs_of_near_names_share_a_key_only_if_they_are_equal() {
        SplittableRandom random = new SplittableRandom(99);
        int different = 0;
        for (int i = 0; i < 100_000; i++) {
            ElectionName name = names.get(random.nextInt(names.size()));
            String near = change(name.value(), random);
            if (near.isEmpty() || !fits(near)) {
                continue;
            }
            ElectionName other = ElectionName.of(near);
            different += other.equals(name) ? 0 : 1;

            check(other.encoded().equals(name.encoded()) == other.equals(name), name);
        }
        assertThat(different).isGreaterThan(80_000);
    }

    private static String change(String text, SplittableRandom random) {
        int[] points = text.codePoints().toArray();
        int at = random.nextInt(points.length);
        StringBuilder changed = new StringBuilder();
        for (int i = 0; i < points.length; i++) {
            int kind = i == at ? random.nextInt(4) : 3;
            if (kind == 0) {
                changed.appendCodePoint(TREACHEROUS[random.nextInt(TREACHEROUS.length)]);
            } else if (kind == 1) {
                changed.append(ElectionName.of(Character.toString(points[i])).encoded());
            } else if (kind == 3) {
                changed.appendCodePoint(points[i]);
            }
            if (i == at && kind == 3) {
                changed.appendCodePoint(TREACHEROUS[random.nextInt(TREACHEROUS.length)]);
            }
        }
        return changed.toString();
    }

    @Test
    void a_changed_key_is_refused_or_is_the_key_of_another_name() {
        SplittableRandom random = new SplittableRandom(5);
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            ElectionName name = names.get(random.nextInt(names.size()));
            StringBuilder key = new StringBuilder(name.encoded());
            key.setCharAt(random.nextInt(key.length()), (char) (32 + random.nextInt(224)));
            try {
                ElectionName read = ElectionName.decode(key.toString());

                check(read.encoded().equals(key.toString()), key);
            } catch (IllegalArgumentException expected) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }
}
