/**
 * Turns the administrator's TOML into device classes, or reports every mistake at once.
 *
 * <p>The entry type is {@link io.edgeplug.model.config.ConfigFiles}. Nothing here keeps state; any thread may call.
 */
package io.edgeplug.model.config;
