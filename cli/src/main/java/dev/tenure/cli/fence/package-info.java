/** {@code tenure fence}: triggers that refuse the writes of former leaders. */
@NullMarked
package dev.tenure.cli.fence;

import org.jspecify.annotations.NullMarked;
