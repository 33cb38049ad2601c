// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Puts a page together from its parts. */
public final class Page {
    private static final List<String> SCRIPTS =
            List.of("model.js", "surface.js", "diagram.js", "page.js", "serve.js", "start.js");

    private Page() {}

    /** @param json a run as {@link dev.tenure.lab.trace.TraceData} tells it; or the algorithms to choose from, for a server */
    public static String html(String json) {
        String script = SCRIPTS.stream().map(Page::part).collect(Collectors.joining("\n"));
        // Nothing in the data can end the element that holds it.
        String data = json.replace("<", "\\u003c");
        return part("page.html")
                .replace("/*STYLE*/", part("page.css"))
                .replace("/*SCRIPT*/", script)
                .replace("/*TRACE*/", data);
    }

    private static String part(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the page has no part " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
