package example;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.registry.otlp.CompressionMode;
import io.micrometer.registry.otlp.OtlpConfig;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class MeteredServiceTest {
    private static final String LEADS = "tenure_leading{election=\"billing/sweeper\"} 1.0";

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private HttpResponse<String> get(MeteredService service, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + service.port() + path);
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** A gauge shows what was so at most half a second ago. */
    private String scrapeWith(MeteredService service, String series) throws IOException, InterruptedException {
        String scrape = get(service, "/metrics").body();
        while (!scrape.contains(series)) {
            scrape = get(service, "/metrics").body();
        }
        return scrape;
    }

    private String url() {
        return "local:" + folder.resolve("state");
    }

    @Test
    void prometheus_scrapes_the_leader_and_a_standby_is_healthy() throws Exception {
        OtlpConfig off = key -> key.equals("otlp.enabled") ? "false" : null;
        try (MeteredService leader = new MeteredService(url(), 0, off)) {
            assertThat(scrapeWith(leader, LEADS)).contains("tenure_info{grade=\"A\"");
            try (MeteredService standby = new MeteredService(url(), 0, off)) {
                assertThat(get(leader, "/leader").statusCode()).isEqualTo(200);
                assertThat(get(standby, "/health").statusCode()).isEqualTo(200);
                assertThat(get(standby, "/leader").statusCode()).isEqualTo(503);
            }
        }
    }

    @Test
    void a_collector_of_opentelemetry_receives_the_same_meters() throws Exception {
        Queue<ExportMetricsServiceRequest> received = new ConcurrentLinkedQueue<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/metrics", exchange -> {
            try (exchange) {
                received.add(ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody()));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.start();
        Map<String, String> settings = Map.of(
                "otlp.url", "http://localhost:" + collector.getAddress().getPort() + "/v1/metrics",
                "otlp.compressionMode", CompressionMode.NONE.name());
        try (MeteredService service = new MeteredService(url(), 0, settings::get)) {
            scrapeWith(service, LEADS);
        } finally {
            collector.stop(1);
        }

        Set<String> names = received.stream()
                .flatMap(request -> request.getResourceMetricsList().stream())
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .map(Metric::getName)
                .collect(Collectors.toSet());
        assertThat(names).contains("tenure.leading", "tenure.terms", "tenure.renewals", "tenure.info");
    }
}
