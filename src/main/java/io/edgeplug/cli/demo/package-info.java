/**
 * {@code edgeplug demo}: a story on a simulated node, with a kubelet's side in the same process.
 */
package io.edgeplug.cli.demo;
