package dev.tenure.etcd;

import dev.tenure.spi.BackendException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;

/** The gateway for those who may wait for the answer: fences, which run on the threads of their users. Safe for any thread. */
final class BlockingGateway {
    private final HttpClient http;
    private final Settings settings;
    private final Endpoints endpoints;
    private volatile Optional<String> token = Optional.empty();

    BlockingGateway(Settings settings) {
        this.settings = settings;
        this.endpoints = new Endpoints(settings.endpoints(), 0);
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.timeout().dividedBy(3));
        settings.tls().ifPresent(tls -> builder.sslContext(tls.context()));
        this.http = builder.build();
    }

    /** @throws BackendException if there was no answer, or a refusal */
    Json call(String path, String body) throws InterruptedException {
        if (settings.user().isPresent() && token.isEmpty()) {
            login(settings.user().get());
        }
        try {
            return send(path, body);
        } catch (Trouble refused) {
            if (settings.user().isEmpty() || !refused.wantsLogin()) {
                throw refused;
            }
            login(settings.user().get()); // refused before it did anything
            return send(path, body);
        }
    }

    private void login(Settings.User user) throws InterruptedException {
        String body = "{\"name\":" + Json.quote(user.name()) + ",\"password\":" + Json.quote(user.password()) + "}";
        token = Optional.empty();
        try {
            token = Optional.of(send("/v3/auth/authenticate", body).text("token"));
        } catch (Trouble refused) {
            if (!refused.isLoginOff()) {
                throw refused;
            }
            token = Optional.of("");
        }
    }

    private Json send(String path, String body) throws InterruptedException {
        for (int serversLeft = endpoints.size(); true; serversLeft--) {
            URI endpoint = endpoints.current();
            try {
                return answer(endpoint, http.send(request(endpoint, path, body), BodyHandlers.ofString()));
            } catch (IOException failure) {
                endpoints.leave(endpoint);
                if (serversLeft <= 1 || !Trouble.isBeforeSending(failure)) {
                    throw Trouble.noAnswer(endpoint, failure);
                }
            }
        }
    }

    private HttpRequest request(URI endpoint, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.resolve(path))
                .timeout(settings.timeout())
                .header("Content-Type", "application/json")
                .header(Gateway.NEEDS_LEADER, "true")
                .POST(BodyPublishers.ofString(body));
        token.filter(known -> !known.isEmpty()).ifPresent(known -> request.header("Authorization", known));
        return request.build();
    }

    private Json answer(URI endpoint, HttpResponse<String> response) {
        Json json;
        try {
            json = Json.parse(response.body());
        } catch (IllegalArgumentException notJson) {
            json = Json.EMPTY;
        }
        if (response.statusCode() == Gateway.OK && json.has("header")) {
            return json;
        }
        Trouble refused = Trouble.refused(endpoint, response.statusCode(), json);
        if (refused.isOfThisServer()) {
            endpoints.leave(endpoint);
        }
        throw refused;
    }
}
