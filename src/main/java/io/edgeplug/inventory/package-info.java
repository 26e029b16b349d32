/**
 * What this node has now, and which resource each device backs.
 *
 * <p>Entry types: {@link io.edgeplug.inventory.Inventory}, an immutable value with a generation, and {@link
 * io.edgeplug.inventory.Monitor}, which keeps it current. A change passes {@code ScanRequests}, {@code NodeDevices}, {@code
 * DevicesInPreparation}, {@code Matching}, {@code HealthWatch}, {@code HeldGroups}, {@code Uses} and {@code Settling}, which {@code
 * Publication} calls before it publishes, all on the one {@code InventoryThread}, which alone writes device
 * state; any thread may read or wait.
 */
package io.edgeplug.inventory;
