/** What tests and measurements of several modules need: ports, folders, processes, and connections that can be broken. */
@NullMarked
package dev.tenure.support;

import org.jspecify.annotations.NullMarked;
