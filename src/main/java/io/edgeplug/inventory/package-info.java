/**
 * What this node has now, and which resource each device backs.
 *
 * <p>Entry types: {@link io.edgeplug.inventory.Inventory}, an immutable value with a generation, and {@link
 * io.edgeplug.inventory.Monitor}, which keeps it current. The monitor's own thread is the only one that writes device
 * state; any thread may read or wait.
 */
package io.edgeplug.inventory;
