// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.cli.browser.Chromium;
import dev.tenure.cli.browser.Tab;
import dev.tenure.cli.command.StoreOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code tenure lab serve} opens, in a real browser. */
@Tag("all")
final class LabServeBrowserTest {
    private static final String TITLE = "document.getElementById('title').textContent";
    private static final String SUMMARY = "document.getElementById('summary').textContent";

    private LabServer server;
    private Chromium browser;
    private Tab tab;

    @BeforeEach
    void open() throws Exception {
        server = LabServer.start(0, StoreOptions.host());
        browser = Chromium.start();
        tab = browser.open(server.url(), 1280, 900);
        tab.until(TITLE + " === 'Bully, 5 nodes'");
    }

    @AfterEach
    void close() throws Exception {
        tab.close();
        browser.close();
        server.close();
    }

    private void choose(String field, String value) {
        tab.text("(document.getElementById('recipe-" + field + "').value = '" + value + "')");
    }

    private void run() {
        tab.text("document.querySelector('#recipe button[type=submit]').click()");
    }

    @Test
    void choosing_runs_anew_and_what_cannot_be_run_is_said() {
        choose("algorithm", "raft");
        choose("nodes", "7");
        run();
        tab.until(TITLE + " === 'Raft election, 7 nodes'");

        String before = tab.text(SUMMARY);
        choose("seed", "99");
        run();
        tab.until(SUMMARY + ".endsWith('seed 99')");
        assertThat(tab.text(SUMMARY)).isNotEqualTo(before);

        choose("faults", "crash 8@1s");
        run();
        tab.until("document.querySelector('.problem').textContent === 'there is no node 8 among 7'");
        assertThat(tab.text(TITLE)).isEqualTo("Raft election, 7 nodes");
    }

    @Test
    void a_click_lets_something_fail_there_and_the_run_is_another_one() {
        String calm = tab.text(SUMMARY);
        assertThat(calm).contains("no faults");
        String box = "document.getElementById('diagram').getBoundingClientRect()";

        tab.click(tab.number(box + ".left + " + box + ".width / 2"), tab.number(box + ".bottom - 20"));
        tab.until("!document.getElementById('menu').hidden");
        assertThat(tab.text("document.querySelector('#menu b').textContent")).contains("node 5");
        tab.text("document.querySelector('#menu button').click()");
        tab.until(SUMMARY + " !== '" + calm + "'");

        assertThat(tab.text(SUMMARY)).contains("crash 5@");
        assertThat(tab.text("document.getElementById('log').textContent")).contains("5 crashes", "4 leads");
        assertThat(tab.complaints()).isEmpty();
        assertThat(tab.requests()).allMatch(url -> url.startsWith(server.url()) || url.startsWith("data:"));
    }

    @Test
    void the_menu_can_be_used_with_the_keyboard_alone() {
        tab.text("document.getElementById('diagram').focus()");
        tab.press("f");
        tab.until("document.activeElement.getAttribute('role') === 'menuitem'");
        tab.press("ArrowDown");
        assertThat(tab.text("document.activeElement.textContent")).isEqualTo("starts again");
        tab.press("Escape");
        tab.until("document.getElementById('menu').hidden");
        assertThat(tab.text("document.activeElement.id")).isEqualTo("diagram");
    }
}
