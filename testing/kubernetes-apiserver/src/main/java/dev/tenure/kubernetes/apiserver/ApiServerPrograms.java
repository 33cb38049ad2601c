// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where kube-apiserver and kubectl are: in the cache folder, where {@code build-apiserver} puts them, which takes some minutes once. {@code
 * TENURE_KUBE_APISERVER} names another server.
 */
public final class ApiServerPrograms {
    private static final String OTHER = "TENURE_KUBE_APISERVER";

    private ApiServerPrograms() {}

    /** Empty if none was built yet. Under CI that is a failure. */
    public static Optional<Path> apiServer() {
        String other = System.getenv(OTHER);
        if (other != null && !other.isBlank()) {
            Path named = Path.of(other);
            if (!Files.isExecutable(named)) {
                throw new IllegalStateException(OTHER + " names no program: " + named);
            }
            return Optional.of(named);
        }
        Optional<Path> built = folder().map(folder -> folder.resolve("kube-apiserver"));
        if (built.isEmpty() && "true".equals(System.getenv("CI"))) {
            throw new IllegalStateException("no kube-apiserver was built: run build-apiserver first, as ./verify does");
        }
        return built;
    }

    /** Empty if none was built yet. */
    public static Optional<Path> kubectl() {
        return folder().map(folder -> folder.resolve("kubectl"));
    }

    private static Optional<Path> folder() {
        try (InputStream script = ApiServerPrograms.class.getResourceAsStream("build-apiserver")) {
            if (script == null) {
                throw new IllegalStateException("build-apiserver is missing among the classes");
            }
            Process finding = new ProcessBuilder("sh", "-s", "--", "--find")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (OutputStream in = finding.getOutputStream()) {
                script.transferTo(in);
            }
            try (InputStream out = finding.getInputStream()) {
                String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
                return finding.waitFor() == 0 ? Optional.of(Path.of(printed)) : Optional.empty();
            }
        } catch (IOException unexpected) {
            throw new IllegalStateException("the kube-apiserver cannot be looked for", unexpected);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the kube-apiserver was looked for", interrupted);
        }
    }
}
