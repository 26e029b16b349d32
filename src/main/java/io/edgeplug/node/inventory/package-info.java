/**
 * The devices of this node now, and the resource of each device.
 *
 * <p>The entry types are {@link io.edgeplug.node.inventory.Inventory}, an immutable value with a generation, and
 * {@link io.edgeplug.node.inventory.Monitor}, which keeps it current. A change passes {@code ScanRequests},
 * {@code NodeDevices}, {@code ScanGate}, {@code Matching}, {@code HealthWatch}, {@code Publication},
 * and {@code Settling}. {@code Publication} calls these before it publishes. All of this is on the one
 * {@code InventoryThread}, and only that thread writes device state. Any thread may read or wait.
 */
package io.edgeplug.node.inventory;
