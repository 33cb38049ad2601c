package dev.tenure.spi;

/** The certain outcomes of a release; after both, nothing of this claim is left. */
public enum ReleaseReply {
    RELEASED,
    NOT_HELD
}
