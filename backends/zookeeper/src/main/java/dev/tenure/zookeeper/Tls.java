package dev.tenure.zookeeper;

import java.util.Optional;

/**
 * Files for TLS, in PEM, PKCS12 or JKS by the end of their names.
 *
 * @param authorities who may vouch for the servers; the JVM's own if none is named
 * @param certificate of this client, with its key
 */
record Tls(Optional<String> authorities, Optional<String> certificate, Optional<Secret> password) {}
