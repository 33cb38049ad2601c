/**
 * What a session of etcd is: a lease, the guard that every transaction checks, the watches that all sessions of a process share.
 */
@NullMarked
package dev.tenure.etcd.session;

import org.jspecify.annotations.NullMarked;
