// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.cli.browser.Chromium;
import dev.tenure.cli.browser.Tab;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tenure lab run --html} writes, in a real browser. */
@Tag("all")
final class LabPageTest {
    private static final String NOW = "document.getElementById('clock').textContent";
    private static final String TWO_LEADERS = "bully --nodes 5 --partition 1,2|3-5@1s..3s --for 4s --seed 4";

    /** The diagram as a picture that can be taken apart: it is drawn by the same code as the one on the canvas. */
    private static final String DRAWN =
            "new DOMParser().parseFromString(pictureOf(modelOf(given), new Set(), {from: 0, to: given.endMs}, "
                    + "{width: document.getElementById('diagram').clientWidth, height: Math.max(innerHeight - 330, 280)}), 'image/svg+xml')";

    private static Chromium browser;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start();
    }

    @AfterAll
    static void stop() throws Exception {
        browser.close();
    }

    private Tab show(String run) throws Exception {
        Path page = folder.resolve("page.html");
        List<String> words = new ArrayList<>(List.of("lab", "run"));
        words.addAll(Arrays.asList(run.split(" ")));
        words.addAll(List.of("--html", page.toString()));
        assertThat(InProcess.run(words.toArray(new String[0])).code()).isZero();
        return browser.open(page.toUri().toString(), 1280, 900);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                TWO_LEADERS,
                "raft --scenario paused-leader",
                "ring --nodes 1",
                "sticky --nodes 4 --crash 2@1s",
                "paxos --lossy *~*:30%@0s..3s --fragile 1:20ms@0s..3s"
            })
    void a_page_shows_itself_without_a_complaint_and_without_asking_anybody_for_anything(String run) throws Exception {
        try (Tab tab = show(run)) {
            tab.until("document.getElementById('title').textContent !== ''");
            tab.click("play");

            assertThat(tab.complaints()).isEmpty();
            assertThat(tab.requests()).hasSize(1).allMatch(url -> url.endsWith("/page.html"));
            assertThat(tab.text("getComputedStyle(document.documentElement).getPropertyValue('--ink')"))
                    .isNotBlank();
        }
    }

    @Test
    void every_node_has_a_line_and_every_message_its_arrow() throws Exception {
        try (Tab tab = show(TWO_LEADERS)) {
            assertThat(tab.number(DRAWN + ".querySelectorAll('.lifelines path').length"))
                    .isEqualTo(5);
            assertThat(tab.text("[..." + DRAWN + ".querySelectorAll('.lifelines text')].map(each => each.textContent)"))
                    .isEqualTo("node 1,node 2,node 3,node 4,node 5");
            assertThat(tab.number(DRAWN + ".querySelectorAll('.letters path[d$=Z]').length"))
                    .as("heads of arrows")
                    .isEqualTo(tab.number("given.messages.filter(each => each.arrivedMs !== null).length"))
                    .isGreaterThan(100);
            assertThat(tab.number(DRAWN + ".querySelectorAll('.letters path[stroke-dasharray]').length"))
                    .as("broken arrows")
                    .isEqualTo(tab.number("given.messages.filter(each => each.arrivedMs === null).length"))
                    .isGreaterThan(10);
        }
    }

    @Test
    void the_time_with_two_leaders_is_red_and_said_in_words() throws Exception {
        try (Tab tab = show(TWO_LEADERS)) {
            assertThat(tab.number(DRAWN + ".querySelectorAll('.overlaps rect').length"))
                    .isEqualTo(tab.number("modelOf(given).shades.length"))
                    .isPositive();
            assertThat(tab.text("given.overlaps.every(one => modelOf(given).shades.some("
                            + "shade => shade.from <= one.fromMs && one.toMs <= shade.to))"))
                    .isEqualTo("true");
            String wash = DRAWN + ".querySelector('.overlaps rect')";
            String middle = "Number(%s.getAttribute('x')) + Number(%s.getAttribute('width')) / 2".formatted(wash, wash);
            assertThat(redness(tab, middle)).isGreaterThan(10);
            assertThat(redness(tab, "200")).isZero();
            assertThat(tab.text("document.getElementById('verdict').textContent"))
                    .startsWith("two leaders at once for ");
        }
    }

    @Test
    void where_many_resources_have_two_owners_the_red_is_as_light_as_for_one() throws Exception {
        try (Tab tab = show("sticky --nodes 5 --partition 1,2|3-5@1s..3s --for 4s")) {
            assertThat(tab.number("given.overlaps.length")).isGreaterThan(5);
            assertThat(tab.number(DRAWN + ".querySelectorAll('.overlaps rect').length"))
                    .isEqualTo(1);
            assertThat(tab.text("document.getElementById('verdict').textContent"))
                    .startsWith("two leaders at once for 1.");
        }
    }

    @Test
    void with_many_nodes_suspicions_are_rows_that_can_be_read_and_signs_are_explained() throws Exception {
        try (Tab tab = show("bully --nodes 25 --partition 1-10|11-25@1s..3s")) {
            assertThat(tab.text("[...document.querySelectorAll('#log li span')].map(each => each.textContent)"))
                    .contains("cut 1-10 | 11-25,1-10 suspect 11-25,11-25 suspect 1-10", "are trusted again");
            assertThat(tab.number("document.querySelectorAll('#log li').length"))
                    .isLessThan(20);
            assertThat(tab.text("document.getElementById('signs').textContent"))
                    .contains("leads", "two leaders at once", "a message that is lost")
                    .doesNotContain("paused");
        }
    }

    @Test
    void nothing_lies_beyond_the_edge_of_a_small_window() throws Exception {
        Path page = folder.resolve("page.html");
        assertThat(InProcess.run("lab", "run", "bully", "--scenario", "partition", "--html", page.toString())
                        .code())
                .isZero();
        try (Tab tab = browser.open(page.toUri().toString(), 500, 900)) {
            assertThat(tab.text("[...document.querySelectorAll('button, #verdict, select')]"
                            + ".filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.id)"))
                    .isEmpty();
        }
    }

    /** How much more red than green a column of the canvas has, between two lines. */
    private static double redness(Tab tab, String left) {
        tab.text("(window.data = document.getElementById('diagram').getContext('2d').getImageData(" + left
                + ", 40, 1, 12).data)");
        return tab.number(
                "[...Array(12).keys()].map(row => data[row * 4 + 3] === 0 ? 0 : data[row * 4] - data[row * 4 + 1])"
                        + ".sort((a, b) => a - b)[6]");
    }

    @Test
    void buttons_and_keys_play_pause_step_and_go_back() throws Exception {
        try (Tab tab = show(TWO_LEADERS)) {
            assertThat(tab.text(NOW)).isEqualTo("4.00 s");

            tab.click("play");
            tab.until(NOW + " !== '4.00 s' && document.getElementById('scrub').value > 0");
            assertThat(tab.text("document.getElementById('play').getAttribute('aria-label')"))
                    .isEqualTo("pause");
            tab.click("play");
            String paused = tab.text(NOW);
            tab.text("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
            assertThat(tab.text(NOW)).isEqualTo(paused);

            tab.text("document.getElementById('diagram').focus()");
            for (String key : List.of("ArrowRight", "ArrowRight", "ArrowLeft")) {
                String before = tab.text(NOW);
                tab.press(key);
                tab.until(NOW + " !== '" + before + "'");
            }
            tab.click("forth");
            assertThat(tab.text("document.querySelectorAll('#log li.now').length"))
                    .isEqualTo("1");
            tab.text("document.getElementById('diagram').focus()");
            tab.press("0");
            tab.until(NOW + " === '4.00 s'");
            tab.press(" ");
            tab.until("document.getElementById('play').getAttribute('aria-label') === 'pause'");
        }
    }

    @Test
    void the_slider_goes_to_any_time_and_what_comes_later_is_faint() throws Exception {
        try (Tab tab = show(TWO_LEADERS)) {
            tab.text("document.getElementById('scrub').focus()");
            tab.press("Home");
            tab.until(NOW + " === '0.0 ms'");
            assertThat(tab.number("document.querySelectorAll('#log li.later').length"))
                    .isPositive();
            tab.press("End");
            tab.until(NOW + " === '4.00 s'");
            assertThat(tab.number("document.querySelectorAll('#log li.later').length"))
                    .isZero();
        }
    }

    @Test
    void who_points_at_a_message_reads_what_is_in_it() throws Exception {
        try (Tab tab = show("raft --nodes 3 --crash leader@1s --for 2s --seed 1")) {
            tab.text("(window.line = " + DRAWN + ".querySelector('.letters path').getAttribute('d')"
                    + ".match(/[\\d.]+/g).map(Number))");
            String box = "document.getElementById('diagram').getBoundingClientRect()";
            tab.hover(
                    tab.number(box + ".left + (line[0] + line[2]) / 2"),
                    tab.number(box + ".top + (line[1] + line[3]) / 2"));
            tab.until("!document.getElementById('tip').hidden");

            assertThat(tab.text("document.getElementById('tip').textContent"))
                    .startsWith(tab.text("given.messages[0].text"))
                    .contains("sent at ", "arrives at ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "raft --nodes 25 --crash leader@1s --partition 1-5|6-25@2s..4s --seed 2",
                "bully --nodes 25 --crash 25@1s",
                "sticky --nodes 25",
                "quorum --nodes 5 --scenario leader-crash"
            })
    void no_label_lies_on_another_one(String run) throws Exception {
        try (Tab tab = show(run)) {
            tab.text("document.body.insertAdjacentHTML('beforeend', new XMLSerializer().serializeToString(" + DRAWN
                    + "))");
            tab.text("""
                    (window.boxes = [...document.querySelectorAll('body > svg text')].map(each => ({text: each.textContent, box: each.getBBox()})))""");

            String clashes = tab.text("""
                    boxes.flatMap((one, index) => boxes.slice(index + 1).filter(other =>
                      one.box.x < other.box.x + other.box.width && other.box.x < one.box.x + one.box.width
                      && one.box.y < other.box.y + other.box.height && other.box.y < one.box.y + one.box.height)
                      .map(other => `${one.text} / ${other.text}`)).join("; ")""");

            assertThat(clashes).isEmpty();
            assertThat(tab.number("boxes.filter(each => each.box.height < 9).length"))
                    .isZero();
            assertThat(tab.number("boxes.length")).isGreaterThanOrEqualTo(tab.number("given.nodes"));
        }
    }

    @Test
    void light_and_dark_have_colours_that_can_be_told_from_their_ground() throws Exception {
        try (Tab tab = show(TWO_LEADERS)) {
            for (Map.Entry<String, String> scheme :
                    Map.of("light", "255,255,255", "dark", "27,30,37").entrySet()) {
                tab.prefer(scheme.getKey());
                tab.until(
                        "getComputedStyle(document.getElementById('stage')).backgroundColor.replace(/[^\\d,]/g, '') === '"
                                + scheme.getValue() + "'");
                double ground = light(tab, "getComputedStyle(document.getElementById('stage')).backgroundColor");

                for (String name : List.of("#title", "#summary", "#verdict", "#log li", "#clock")) {
                    double ink = light(tab, "getComputedStyle(document.querySelector('" + name + "')).color");
                    assertThat((Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05))
                            .as("contrast of %s when it is %s", name, scheme.getKey())
                            .isGreaterThan(4.5);
                }
            }
        }
    }

    /** The relative luminance of a colour. */
    private static double light(Tab tab, String colour) {
        return tab.number(colour + ".match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)"
                + ".map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)"
                + ".reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0)");
    }
}
