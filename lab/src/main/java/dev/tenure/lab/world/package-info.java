/** Nodes, their disks and their network, in virtual time. */
@NullMarked
package dev.tenure.lab.world;

import org.jspecify.annotations.NullMarked;
