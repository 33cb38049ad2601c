/** What operators see of a client: {@link dev.tenure.observability.TenureMeters} for Micrometer, and {@link dev.tenure.observability.TenureHealth}. */
@NullMarked
package dev.tenure.observability;

import org.jspecify.annotations.NullMarked;
