// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real browser without a window, with a profile of its own. Spoken to in its own protocol over the JDK's WebSocket: a driver would be
 * one more program and a library, for a dozen words.
 */
public final class Chromium implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FETCH_SECONDS_MAX = 300;
    private static final Pattern SOCKET = Pattern.compile("\"webSocketDebuggerUrl\": *\"([^\"]+)\"");

    /** Ends the browser when the pipe to it closes: when this JVM ends, however that happens. */
    private static final String WATCHED =
            "profile=$1; shift; \"$@\" <&- >\"$profile/log\" 2>&1 & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid; "
                    + "for turn in 1 2 3 4 5; do rm -rf \"$profile\" && break; sleep 0.2; done";

    private final Process shell;
    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;

    private Chromium(Process shell, int port) {
        this.shell = shell;
        this.port = port;
    }

    public static Chromium start() throws IOException, InterruptedException {
        String[] found = find();
        Path profile = Files.createTempDirectory("tenure-browser");
        List<String> command = new ArrayList<>(List.of("sh", "-c", WATCHED, "sh", profile.toString(), found[0]));
        command.addAll(List.of(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("HOME", profile.toString());
        if (found.length > 1) {
            atHomeIn(Path.of(found[1]), profile, builder);
        }
        Process shell = builder.start();
        Path told = profile.resolve("DevToolsActivePort");
        try {
            Awaitility.await("a browser that listens")
                    .atMost(PATIENCE)
                    .until(() ->
                            Files.exists(told) && Files.readString(told).lines().count() > 1);
            return new Chromium(
                    shell,
                    Integer.parseInt(Files.readString(told).lines().findFirst().orElseThrow()));
        } catch (RuntimeException silent) {
            String said = Files.readString(profile.resolve("log"), StandardCharsets.ISO_8859_1);
            shell.getOutputStream().close();
            throw new IllegalStateException(String.join(" ", found) + " does not listen, and says: " + said, silent);
        }
    }

    /** An unpacked one looks for its libraries and fonts where it was unpacked. */
    private static void atHomeIn(Path root, Path profile, ProcessBuilder builder) throws IOException {
        Path fonts = profile.resolve("fonts.conf");
        Files.writeString(
                fonts,
                "<fontconfig><dir>" + root + "/usr/share/fonts</dir><cachedir>" + profile
                        + "/fonts</cachedir></fontconfig>");
        builder.environment().put("FONTCONFIG_FILE", fonts.toString());
        try (Stream<Path> folders = Files.list(root.resolve("usr/lib"))) {
            // Sound comes with a library of its own, one folder below, which it looks for where it would be installed.
            String libraries = folders.filter(folder -> folder.toString().endsWith("-linux-gnu"))
                    .flatMap(folder -> Stream.of(
                            folder, root.resolve("lib").resolve(folder.getFileName()), folder.resolve("pulseaudio")))
                    .map(Path::toString)
                    .collect(Collectors.joining(":"));
            builder.environment().put("LD_LIBRARY_PATH", libraries);
        }
    }

    private static String[] find() throws IOException, InterruptedException {
        Process fetching = new ProcessBuilder("sh", "-s")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream script = Chromium.class.getResourceAsStream("fetch-browser");
                OutputStream in = fetching.getOutputStream()) {
            script.transferTo(in);
        }
        String printed = new String(fetching.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!fetching.waitFor(FETCH_SECONDS_MAX, TimeUnit.SECONDS) || fetching.exitValue() != 0) {
            throw new IllegalStateException(
                    "no Chromium can be had: see what fetch-browser says, install it, or connect this machine to a Debian mirror");
        }
        return printed.split(" ");
    }

    /** A new page of that size. */
    public Tab open(String url, int width, int height) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                .method("PUT", HttpRequest.BodyPublishers.noBody())
                .build();
        String told = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        Matcher socket = SOCKET.matcher(told);
        if (!socket.find()) {
            throw new IllegalStateException("the browser opens no page: " + told);
        }
        Tab tab = Tab.connect(http, URI.create(socket.group(1)));
        tab.resize(width, height);
        tab.go(url);
        return tab;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        shell.getOutputStream().close();
        shell.waitFor();
    }
}
