/**
 * The administrator's rules as values, which never change and are safe for all threads.
 *
 * <p>The entry type is {@link io.edgeplug.model.rules.DeviceClass}, one {@code [[class]]} of the configuration. Its parts say
 * which devices it takes ({@link io.edgeplug.model.rules.Selector}), when these are healthy
 * ({@link io.edgeplug.model.rules.HealthRule}), how they are prepared ({@link io.edgeplug.model.rules.Recipe}) and what a container
 * gets of them ({@link io.edgeplug.model.rules.ContainerRules}). A new selector key is a constant of
 * {@link io.edgeplug.model.rules.SelectorWord}.
 */
package io.edgeplug.model.rules;
