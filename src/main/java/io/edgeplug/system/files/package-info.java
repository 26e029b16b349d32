/**
 * Files of other owners: which path may be trusted, how much of a file is read, and who is told that it changes.
 *
 * <p>The entry types are {@link io.edgeplug.system.files.Sysfs} for reading sysfs, {@link io.edgeplug.system.files.Ownership} for paths, and
 * {@link io.edgeplug.system.files.FileWatch} for changes. Any thread may read. Whoever opens a watch closes it.
 */
package io.edgeplug.system.files;
