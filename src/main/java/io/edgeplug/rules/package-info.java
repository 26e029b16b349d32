/**
 * The administrator's rules as values, which never change and are safe for all threads.
 *
 * <p>The entry type is {@link io.edgeplug.rules.DeviceClass}, one {@code [[class]]} of the configuration. Its parts say
 * which devices it takes ({@link io.edgeplug.rules.Selector}), when these are healthy
 * ({@link io.edgeplug.rules.HealthRule}), how they are prepared ({@link io.edgeplug.rules.Recipe}) and what a container
 * gets of them ({@link io.edgeplug.rules.ContainerRules}). A new selector key is a constant of
 * {@link io.edgeplug.rules.SelectorWord}.
 */
package io.edgeplug.rules;
