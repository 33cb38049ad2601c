/**
 * What authors of backends share. Nothing here has to be used; everything here is used by the backends of this repository.
 *
 * <ul>
 *   <li>Settings: {@link dev.tenure.spi.support.StoreUrl} reads servers, user, password and TLS from a store URL, {@link
 *       dev.tenure.spi.support.TlsFiles} reads certificates and keys.
 *   <li>Records: {@link dev.tenure.spi.support.RecordCodec} writes and reads them as text; {@link
 *       dev.tenure.spi.support.EraRecord}, {@link dev.tenure.spi.support.RequestRecord} and {@link
 *       dev.tenure.spi.support.TermRecord} are those that every store has.
 *   <li>Calls: {@link dev.tenure.spi.support.BlockingCalls} is for clients that block, {@link dev.tenure.spi.support.Batcher} sends
 *       many calls in few requests, {@link dev.tenure.spi.support.Stages} handles what comes back.
 *   <li>Claims: {@link dev.tenure.spi.support.ClaimOrder} helps a backend with sessions of its own to keep what {@link
 *       dev.tenure.spi.BackendSession#release} promises.
 * </ul>
 *
 * <p>A {@link dev.tenure.spi.LeaseStore} needs no records and no order of claims: core brings them along.
 */
@NullMarked
package dev.tenure.spi.support;

import org.jspecify.annotations.NullMarked;
