// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageTest {
    @Test
    void a_page_needs_nothing_from_elsewhere() {
        String page = Page.html("{}");

        // The name of SVG, and a part of the picture itself: neither is ever asked for.
        String rest = page.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
        assertThat(rest).doesNotContain("http:", "https:", "src=", "@import", "url(");
        assertThat(page).contains("function modelOf(", "function diagramOn(", "function showRun(");
    }

    @Test
    void data_cannot_end_the_element_that_holds_it() {
        String page = Page.html("{\"text\":\"</script><script>alert(1)</script>\"}");

        assertThat(page).contains("\\u003c/script>\\u003cscript>alert(1)").doesNotContain("<script>alert(1)");
    }
}
