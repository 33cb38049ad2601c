// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every shell command of the documentation is run here, on real servers in the place of its hosts, or named here with what
 * runs it. A block of code without a language would be neither compiled nor run, so there is none.
 */
@Tag("server")
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class DocCommandsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("^```(\\S*)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Set<String> LANGUAGES =
            Set.of("sh", "text", "java", "xml", "sql", "yaml", "properties", "hcl", "diff");

    /** A line that begins so is not run here, for something else does. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("./verify", "it runs this test"),
            Map.entry("bench/run ", "minutes on a quiet machine; docs/figures.md says which run printed what"),
            Map.entry("dist/build", "./verify, step distribution"),
            Map.entry("tar -xzf tenure-VERSION", "dist/test unpacks it"),
            Map.entry("ln -s /opt/tenure", "dist/test starts it through a link"),
            Map.entry("tenure version", "dist/test"),
            Map.entry("apt install ./tenure", "dist/test unpacks the package and starts what is in it"),
            Map.entry("systemctl ", "needs systemd; dist/test checks the unit's command"),
            Map.entry("cd tenure-VERSION", "needs Docker, as the next two lines"),
            Map.entry("docker ", "needs Docker; dist/test checks the layout that the file copies"),
            Map.entry("mvn package", "build/spring-page"),
            Map.entry("java -jar target/leader-1.jar", "build/spring-page"),
            Map.entry("mvn test", "./verify, step docs/new-backend.md"));

    /** Blocks of these pages are run as a whole by another test. */
    private static final Map<String, String> WHOLE = Map.of(
            "docs/fencing.md: export DB=", "FencingGuideTest",
            "docs/patterns/cron.md: tenure cron list", "PatternsTest",
            "docs/algorithms.md: tenure lab run", "LabTest",
            "docs/backends/peers.md: tenure run --url 'peers://a@localhost", "a_group_of_three_of_its_page",
            "docs/backends/peers.md: tenure status sweeper", "a_group_of_three_of_its_page",
            "docs/backends/peers.md: openssl req", "the_certificates_of_a_group_as_its_page_makes_them",
            "docs/backends/peers.md: tenure run --url 'peers://a@h1",
                    "the_certificates_of_a_group_as_its_page_makes_them",
            "docs/backends/peers.md: openssl rand", "SecurityTest of the backend");

    private static final String STAYS = "here to stay";
    private static final RealServers SERVERS = new RealServers();

    @TempDir
    private Path folder;

    private record Block(String page, String language, String text) {
        /** Without comments and prompts; a line that ends in a backslash goes on. */
        List<String> commands() {
            return text.replace("\\\n", " ")
                    .lines()
                    .map(line -> line.replaceFirst("\\s+# .*", ""))
                    .filter(line -> !line.isBlank())
                    .toList();
        }

        boolean isWhole() {
            return WHOLE.keySet().stream().anyMatch(known -> (page + ": " + text).startsWith(known));
        }
    }

    private static List<Block> blocks(String page) throws IOException {
        List<Block> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(Files.readString(ROOT.resolve(page)));
        while (found.find()) {
            blocks.add(new Block(page, found.group(1), found.group(2)));
        }
        return blocks;
    }

    private static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md"),
                            files.map(file -> ROOT.relativize(file).toString()))
                    .filter(page -> page.endsWith(".md") && !page.startsWith("docs/adr/"))
                    .sorted()
                    .toList();
        }
    }

    private static List<Block> shellBlocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (String page : pages()) {
            blocks(page).stream().filter(block -> block.language.equals("sh")).forEach(blocks::add);
        }
        return blocks;
    }

    static List<String> pagesWithCommands() throws IOException {
        return shellBlocks().stream()
                .filter(block -> !block.isWhole())
                .filter(block -> block.commands().stream().anyMatch(DocCommandsTest::isRunHere))
                .map(Block::page)
                .distinct()
                .toList();
    }

    private static boolean isRunHere(String command) {
        return ELSEWHERE.keySet().stream().noneMatch(command::startsWith);
    }

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    @Test
    void every_block_says_what_language_it_is_in() throws IOException {
        for (String page : pages()) {
            for (Block block : blocks(page)) {
                assertThat(LANGUAGES).as("%s:%n%s", page, block.text).contains(block.language);
            }
        }
    }

    @Test
    void nothing_is_excused_that_is_not_there_any_more() throws IOException {
        List<Block> blocks = shellBlocks();
        Set<String> all =
                blocks.stream().flatMap(block -> block.commands().stream()).collect(Collectors.toSet());
        Set<String> unused = new TreeSet<>(ELSEWHERE.keySet());
        unused.removeIf(known -> all.stream().anyMatch(command -> command.startsWith(known)));
        WHOLE.keySet().stream()
                .filter(known -> blocks.stream().noneMatch(block -> (block.page + ": " + block.text).startsWith(known)))
                .forEach(unused::add);

        assertThat(unused).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("pagesWithCommands")
    void every_command_of_the_page_works(String page) throws Exception {
        try (Cli cli = shell(page)) {
            if (page.equals("docs/guide.md")) {
                cli.start(sh("tenure run --election billing/sweeper -- ./stay")).awaitOut(STAYS);
            }
            for (Block block : blocks(page)) {
                if (block.language.equals("sh") && !block.isWhole()) {
                    for (String command : block.commands()) {
                        if (isRunHere(command)) {
                            run(cli, page, command);
                        }
                    }
                }
            }
        }
    }

    private void run(Cli cli, String page, String command) throws Exception {
        Cli.Call call = cli.start(sh(SERVERS.inPlaceOfHosts(
                command.replace("/var/lib/myapp", folder.resolve("state").toString()))));
        if (command.startsWith("tenure watch")) {
            call.awaitOut("billing/sweeper");
            return;
        }
        assertThat(call.exit())
                .as("%s: %s%n%s%n%s", page, command, call.out(), call.err())
                .isZero();
        if (command.endsWith("./sweep")) {
            assertThat(call.out()).as("%s: %s", page, command).contains("swept with token");
        }
    }

    private static List<String> sh(String command) {
        return Cli.withSaneSignals("sh", "-c", command);
    }

    /** With the programs that a reader has, and with an empty store on this machine where a command names none. */
    private Cli shell(String page) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        String words = Cli.commandLine().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        script(bin.resolve("tenure"), "exec " + words + " \"$@\"");
        script(folder.resolve("tenure"), "exec bin/tenure \"$@\"");
        Files.createDirectories(folder.resolve("state"));
        script(folder.resolve("sweep"), "echo swept with token $TENURE_TOKEN");
        script(folder.resolve("stay"), "echo " + STAYS + "; sleep 200");
        Cli cli = new Cli(folder);
        cli.with("TENURE_URL", "local:" + folder.resolve("store"));
        cli.with("PATH", bin + ":" + System.getenv("PATH"));
        if (page.equals("docs/backends/etcd.md")) {
            script(bin.resolve("etcdctl"), "exec '" + EtcdServers.NEWEST.etcdctl() + "' \"$@\"");
            cli.with("ETCDCTL_API", "3").with("ETCDCTL_ENDPOINTS", SERVERS.etcd());
        }
        if (page.equals("docs/backends/kubernetes.md")) {
            script(
                    bin.resolve("kubectl"),
                    "exec '" + ApiServerPrograms.kubectl().orElseThrow() + "' \"$@\"");
            cli.with("KUBECONFIG", SERVERS.kubeconfig().toString());
        }
        return cli;
    }

    private static void script(Path file, String line) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void a_group_of_three_of_its_page() throws Exception {
        List<Integer> ports = Ports.free(3);
        try (Cli cli = shell("docs/backends/peers.md")) {
            List<Cli.Call> members = new ArrayList<>();
            String status = "";
            for (Block block : blocks("docs/backends/peers.md")) {
                for (String command : block.commands()) {
                    String here = command.replace("7001", ports.get(0).toString())
                            .replace("7002", ports.get(1).toString())
                            .replace("7003", ports.get(2).toString());
                    if (command.startsWith("tenure run --url 'peers://a@localhost")) {
                        members.add(cli.start(sh(here.replace("./sweep", "./stay"))));
                    } else if (command.startsWith("tenure status sweeper --url 'peers://a@localhost")) {
                        status = here;
                    }
                }
            }
            assertThat(members).hasSize(3);
            await("one of them leads")
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            members.stream().anyMatch(member -> member.out().contains(STAYS)));
            Cli.Call told = cli.start(sh(status));

            assertThat(told.exit()).as(told.err()).isZero();
            assertThat(told.out()).contains("sweeper");
        }
    }

    @Test
    void the_certificates_of_a_group_as_its_page_makes_them() throws Exception {
        List<Block> blocks = blocks("docs/backends/peers.md");
        String certificates = blocks.stream()
                .map(Block::text)
                .filter(text -> text.startsWith("openssl req"))
                .findFirst()
                .orElseThrow();
        String first = blocks.stream()
                .flatMap(block -> block.commands().stream())
                .filter(command -> command.startsWith("tenure run --url 'peers://a@h1"))
                .findFirst()
                .orElseThrow();
        List<Integer> ports = Ports.free(3);
        try (Cli cli = shell("docs/backends/peers.md")) {
            String here = certificates.replace("a:h1 b:h2 c:h3", "a:localhost b:localhost c:localhost");
            Cli.Call made = cli.start(sh("set -e\n" + here));
            assertThat(made.exit()).as(made.err()).isZero();
            List<Cli.Call> members = new ArrayList<>();
            for (String member : List.of("a", "b", "c")) {
                members.add(cli.start(sh(first.replace("h1:7001", "localhost:" + ports.get(0))
                        .replace("h2:7001", "localhost:" + ports.get(1))
                        .replace("h3:7001", "localhost:" + ports.get(2))
                        .replace("me=a", "me=" + member)
                        .replace("=a.", "=" + member + ".")
                        .replace("./sweep", "./stay"))));
            }

            await("one of them leads")
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            members.stream().anyMatch(member -> member.out().contains(STAYS)));
        }
    }

    @Test
    void a_command_that_fails_is_noticed() throws Exception {
        try (Cli cli = shell("a page")) {
            assertThatThrownBy(() -> run(cli, "a page", "tenure statsu"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("statsu");
        }
    }
}
