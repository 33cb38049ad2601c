// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/** @param storeId random, made when the store was first used: another one means another store */
public record StoreEra(String storeId, int era) {}
