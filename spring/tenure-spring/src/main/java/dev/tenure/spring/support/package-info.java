/**
 * What stands behind the annotations. {@link dev.tenure.spring.support.AnnotationScanner} finds them and refuses what cannot work, {@link
 * dev.tenure.spring.support.LedElection} is one election of the application.
 */
@NullMarked
package dev.tenure.spring.support;

import org.jspecify.annotations.NullMarked;
