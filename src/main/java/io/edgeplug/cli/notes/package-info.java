/**
 * What {@code check} and a reload have to say about a configuration on this node, beside mistakes.
 *
 * <p>The entry type is {@link io.edgeplug.cli.notes.ClassNotes}.
 */
package io.edgeplug.cli.notes;
