package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A claim or a release on its way to the server, in the order in which they were asked for. */
sealed interface Order {
    ElectionName election();

    void fail(Throwable why);

    /** @param all claims, each of another election */
    static Map<ElectionName, Claim> claims(List<Order> all) {
        Map<ElectionName, Claim> claims = new HashMap<>();
        all.forEach(order -> claims.put(order.election(), (Claim) order));
        return claims;
    }

    static List<ClaimRequest> requests(Map<ElectionName, Claim> claims) {
        List<ClaimRequest> requests = new ArrayList<>();
        claims.values().forEach(claim -> requests.add(claim.request()));
        return requests;
    }

    record Claim(ClaimRequest request, CompletableFuture<ClaimReply> answer) implements Order {
        @Override
        public ElectionName election() {
            return request.election();
        }

        @Override
        public void fail(Throwable why) {
            answer.completeExceptionally(why);
        }
    }

    record Release(ElectionName election, Nonce nonce, CompletableFuture<ReleaseReply> answer) implements Order {
        @Override
        public void fail(Throwable why) {
            answer.completeExceptionally(why);
        }
    }
}
