package example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.observability.TenureHealth;
import dev.tenure.observability.TenureMeters;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A service that sweeps while it leads, and shows itself: {@code /metrics} for Prometheus, {@code /health} for people, {@code
 * /leader} for a load balancer, and, where {@code OTEL_EXPORTER_OTLP_ENDPOINT} is set, the same meters for OpenTelemetry.
 */
public final class MeteredService implements AutoCloseable {
    private static final String ELECTION = "billing/sweeper";

    private final Tenure tenure;
    private final TenureHealth health;
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<MeterRegistry> registries = new ArrayList<>(List.of(prometheus));
    private final HttpServer server;

    /** @param port 0 for any that is free */
    public MeteredService(String url, int port, OtlpConfig otlp) throws IOException {
        if (otlp.enabled()) {
            registries.add(new OtlpMeterRegistry(otlp, Clock.SYSTEM));
        }
        tenure = Tenure.connect(url).open();
        TenureMeters meters = TenureMeters.of(tenure);
        registries.forEach(meters::bindTo);
        health = TenureHealth.of(tenure);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/metrics", exchange -> answer(exchange, 200, prometheus.scrape()));
        server.createContext("/health", exchange -> {
            TenureHealth.Verdict verdict = health.check();
            answer(exchange, verdict.healthy() ? 200 : 503, verdict.reason() + verdict.details() + "\n");
        });
        server.createContext("/leader", exchange -> {
            boolean leads = health.check().leads(ELECTION);
            answer(exchange, leads ? 200 : 503, leads ? "leads\n" : "does not lead\n");
        });
        server.start();
        tenure.elect(ELECTION).perform(MeteredService::sweep);
    }

    private static void sweep(Leadership leadership) throws InterruptedException {
        while (leadership.isActive()) {
            leadership.rest(Duration.ofSeconds(10)); // the work would be here
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        registries.forEach(MeterRegistry::close); // sends the last values to OpenTelemetry
        tenure.close();
    }

    public static void main(String[] arguments) throws IOException {
        String url = arguments.length > 0 ? arguments[0] : "local:";
        OtlpConfig otlp = key -> key.equals("otlp.enabled")
                ? Boolean.toString(System.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != null)
                : null; // the rest comes from the variables of OpenTelemetry
        MeteredService service = new MeteredService(url, 9464, otlp);
        Runtime.getRuntime().addShutdownHook(new Thread(service::close));
        System.out.println("http://localhost:" + service.port() + "/metrics, /health and /leader");
    }
}
