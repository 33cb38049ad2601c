package dev.tenure.spi;

import java.time.Duration;

/** The certain outcomes of a renewal. */
public sealed interface RenewReply {
    record Renewed(Duration ttl) implements RenewReply {}

    record Gone(String why) implements RenewReply {}
}
