package dev.tenure.peers;

import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One wish to lead.
 *
 * @param asking who waits for a reply; nobody, once it was told to wait
 */
record Claim(ClaimRequest request, List<CompletableFuture<ClaimReply>> asking) {
    void answer(ClaimReply reply) {
        List<CompletableFuture<ClaimReply>> waiting = List.copyOf(asking);
        asking.clear();
        waiting.forEach(each -> each.complete(reply));
    }

    void fail(RuntimeException why) {
        List<CompletableFuture<ClaimReply>> waiting = List.copyOf(asking);
        asking.clear();
        waiting.forEach(each -> each.completeExceptionally(why));
    }
}
