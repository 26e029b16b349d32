/** Hostile inputs against a running daemon, in the heap of the package; see README.md here. Run with {@code -Dsoak}. */
package io.edgeplug.soak;
