/** {@code tenure lab}: the classic algorithms, run, checked, compared and explained. */
@NullMarked
package dev.tenure.cli.lab;

import org.jspecify.annotations.NullMarked;
