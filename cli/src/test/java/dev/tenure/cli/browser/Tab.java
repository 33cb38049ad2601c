// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.browser;

import dev.tenure.cli.JsonText;
import dev.tenure.cli.command.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** One page of the browser: what is in it, hands on it, and what it asked for and complained about. */
public final class Tab implements WebSocket.Listener, AutoCloseable {
    private static final int SECONDS_MAX = 30;
    private static final List<String> COMPLAINTS =
            List.of("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded");

    private final Map<String, CompletableFuture<Map<String, Object>>> asked = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger questions = new AtomicInteger();
    private final StringBuilder partial = new StringBuilder();
    private WebSocket socket;

    private Tab() {}

    static Tab connect(HttpClient http, URI where) {
        Tab tab = new Tab();
        tab.socket = http.newWebSocketBuilder().buildAsync(where, tab).join();
        List.of("Page", "Runtime", "Log", "Network").forEach(domain -> tab.ask(domain + ".enable", Map.of()));
        return tab;
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            told(JsonText.object(partial.toString()));
            partial.setLength(0);
        }
        from.request(1);
        return null;
    }

    private void told(Map<String, Object> message) {
        if (message.containsKey("id")) {
            asked.remove(message.get("id").toString()).complete(message);
        } else if (message.get("method").equals("Network.requestWillBeSent")) {
            requests.add(JsonText.map(JsonText.map(message.get("params")).get("request"))
                    .get("url")
                    .toString());
        } else if (COMPLAINTS.contains(message.get("method"))) {
            complaints.add(message.get("params").toString());
        }
    }

    private Map<String, Object> ask(String method, Map<String, ?> parameters) {
        String number = Integer.toString(questions.incrementAndGet());
        CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
        asked.put(number, answer);
        socket.sendText(
                "{\"id\":" + number + ",\"method\":\"" + method + "\",\"params\":" + Json.text(parameters) + "}", true);
        Map<String, Object> message =
                answer.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
        if (!message.containsKey("result")) {
            throw new IllegalStateException(method + ": " + message.get("error"));
        }
        return JsonText.map(message.get("result"));
    }

    void go(String url) {
        ask("Page.navigate", Map.of("url", url));
        until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    public void resize(int width, int height) {
        ask(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** @param scheme light or dark */
    public void prefer(String scheme) {
        ask(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** What this expression is, as text. */
    public String text(String expression) {
        Map<String, Object> reply = ask(
                "Runtime.evaluate",
                Map.of("expression", "String(" + expression + ")", "returnByValue", true, "awaitPromise", true));
        if (reply.containsKey("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + reply);
        }
        return JsonText.map(reply.get("result")).get("value").toString();
    }

    public double number(String expression) {
        return Double.parseDouble(text(expression));
    }

    public void until(String condition) {
        Awaitility.await(condition)
                .atMost(Duration.ofSeconds(SECONDS_MAX))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> text(condition).equals("true"));
    }

    /** In the middle of the element of that id. */
    public void click(String id) {
        String box = "document.getElementById('" + id + "').getBoundingClientRect()";
        click(number(box + ".left + " + box + ".width / 2"), number(box + ".top + " + box + ".height / 2"));
    }

    public void click(double left, double top) {
        hover(left, top);
        for (String type : List.of("mousePressed", "mouseReleased")) {
            ask(
                    "Input.dispatchMouseEvent",
                    Map.of("type", type, "x", left, "y", top, "button", "left", "clickCount", 1));
        }
    }

    public void hover(double left, double top) {
        ask("Input.dispatchMouseEvent", Map.of("type", "mouseMoved", "x", left, "y", top));
    }

    /** @param key such as ArrowLeft, or a character */
    public void press(String key) {
        Map<String, String> down = key.length() == 1
                ? Map.of("type", "keyDown", "key", key, "text", key)
                : Map.of("type", "keyDown", "key", key);
        ask("Input.dispatchKeyEvent", down);
        ask("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
    }

    /** What it has fetched so far, itself included. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** Exceptions that nobody caught, and what was written to the console. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** As it looks now, as a PNG in base64. */
    public String picture() {
        return ask("Page.captureScreenshot", Map.of()).get("data").toString();
    }

    @Override
    public void close() {
        socket.abort();
    }
}
