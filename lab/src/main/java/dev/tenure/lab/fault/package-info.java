/** What can go wrong in the lab, and how people write it. */
@NullMarked
package dev.tenure.lab.fault;

import org.jspecify.annotations.NullMarked;
