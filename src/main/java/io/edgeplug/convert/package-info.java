/**
 * Writes device classes of what other device plugins were configured with.
 *
 * <p>Entry type: {@link io.edgeplug.convert.Conversion}. Each plugin has a class here, which knows its format: {@code
 * SriovPlugin}, {@code RdmaSharedPlugin}, {@code GenericPlugin} and {@code SmarterManager}. One thread at a time.
 */
package io.edgeplug.convert;
