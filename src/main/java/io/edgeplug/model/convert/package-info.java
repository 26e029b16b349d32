/**
 * Writes device classes from the configurations of other device plugins.
 *
 * <p>The entry type is {@link io.edgeplug.model.convert.Conversion}. Each plugin has a class that knows its format:
 * {@code SriovPlugin}, {@code RdmaSharedPlugin}, {@code GenericPlugin} and {@code SmarterManager}. One thread at a
 * time.
 */
package io.edgeplug.model.convert;
