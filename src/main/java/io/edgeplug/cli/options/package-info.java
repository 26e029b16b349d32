/**
 * What several commands share: options, exit codes, and the root of the node that they look at.
 */
package io.edgeplug.cli.options;
