/**
 * Leader election whose leaders can do no harm: what applications use. {@link dev.tenure.Tenure} is the way in.
 *
 * <p>Backends implement {@code dev.tenure.spi}; everything under {@code dev.tenure.internal} may change at any time.
 */
@NullMarked
package dev.tenure;

import org.jspecify.annotations.NullMarked;
