/**
 * Turns the administrator's TOML into device classes, or into every mistake at once.
 *
 * <p>Entry type: {@link io.edgeplug.config.ConfigFiles}. Nothing here keeps state; any thread may call.
 */
package io.edgeplug.config;
