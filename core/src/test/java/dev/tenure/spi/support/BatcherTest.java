// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.fakes.ManualHost;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class BatcherTest {
    private final ManualHost host = new ManualHost();
    private final List<List<Item>> sent = new ArrayList<>();
    private final List<CompletableFuture<Boolean>> replies = new ArrayList<>();
    private final Batcher<Item> batcher = new Batcher<>(host, new Batcher.Limits(3, 100, 2), this::send);

    private static final class Item implements Batcher.Item {
        private final String name;
        private final int bytes;
        private Object subject = this;
        private boolean wanted = true;
        private final List<Effect> failed = new ArrayList<>();

        Item(String name, int bytes) {
            this.name = name;
            this.bytes = bytes;
        }

        @Override
        public int bytes() {
            return bytes;
        }

        @Override
        public Object subject() {
            return subject;
        }

        @Override
        public boolean isWanted() {
            return wanted;
        }

        @Override
        public void failed(BackendException why) {
            failed.add(why.effect());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private CompletionStage<Boolean> send(List<Item> batch) {
        sent.add(batch);
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        replies.add(reply);
        return reply;
    }

    private Item add(String name) {
        Item item = new Item(name, 10);
        batcher.add(item);
        return item;
    }

    private void answer(int batch) {
        replies.get(batch).complete(true);
        host.settle();
    }

    @Test
    void one_that_is_alone_is_sent_at_once() {
        add("a");

        assertThat(sent).hasToString("[[a]]");
    }

    @Test
    void what_is_asked_for_while_another_is_under_way_is_sent_together() {
        add("a");
        add("b");
        add("c");

        assertThat(sent).hasSize(1);
        host.settle();

        assertThat(sent).hasToString("[[a], [b, c]]");
    }

    @Test
    void no_more_than_the_limits_are_sent_at_once() {
        add("a");
        host.settle();
        for (int i = 0; i < 8; i++) {
            add("b" + i);
        }
        host.settle();

        assertThat(sent).hasToString("[[a], [b0, b1, b2]]");
        answer(0);
        assertThat(sent).hasToString("[[a], [b0, b1, b2], [b3, b4, b5]]");
        replies.get(1).completeExceptionally(new IllegalStateException("the store is gone"));
        host.settle();

        assertThat(sent).hasToString("[[a], [b0, b1, b2], [b3, b4, b5], [b6, b7]]");
        assertThat(batcher.isIdle()).isFalse();
        answer(2);
        answer(3);
        assertThat(batcher.isIdle()).isTrue();
    }

    @Test
    void a_large_one_is_sent_alone_and_keeps_its_place() {
        add("a");
        batcher.add(new Item("b", 10));
        batcher.add(new Item("large", 1000));
        host.settle();
        answer(0);

        assertThat(sent).hasToString("[[a], [b], [large]]");
    }

    @Test
    void two_with_one_subject_are_not_sent_together_and_keep_their_order() {
        add("a");
        Item first = new Item("first", 1);
        Item second = new Item("second", 1);
        Item third = new Item("third", 1);
        second.subject = first;
        third.subject = first;
        batcher.add(first);
        batcher.add(second);
        host.settle();
        batcher.add(third);
        answer(0);

        assertThat(sent).hasToString("[[a], [first], [second]]");
        answer(1);
        assertThat(sent).hasToString("[[a], [first], [second], [third]]");
    }

    @Test
    void one_that_is_not_wanted_any_more_fails_without_an_effect() {
        add("a");
        Item late = add("late");
        late.wanted = false;
        add("b");
        host.settle();

        assertThat(sent).hasToString("[[a], [b]]");
        assertThat(late.failed).containsExactly(Effect.NONE);
    }

    @Test
    void a_request_that_cannot_be_made_fails_its_calls_and_stops_nothing() {
        List<Item> asked = new ArrayList<>();
        Batcher<Item> broken = new Batcher<>(host, new Batcher.Limits(3, 100, 1), batch -> {
            asked.addAll(batch);
            throw new IllegalStateException("bug");
        });
        Item first = new Item("first", 1);
        Item second = new Item("second", 1);

        broken.add(first);
        broken.add(second);
        host.settle();

        assertThat(asked).containsExactly(first, second);
        assertThat(first.failed).containsExactly(Effect.UNKNOWN);
        assertThat(second.failed).containsExactly(Effect.UNKNOWN);
        assertThat(broken.isIdle()).isTrue();
    }
}
