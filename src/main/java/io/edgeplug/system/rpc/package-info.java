/**
 * gRPC over Unix sockets, and which process may call.
 *
 * <p>The entry type is {@link io.edgeplug.system.rpc.UnixRpc}. Servers answer on a loop of their own, where nothing may wait.
 */
package io.edgeplug.system.rpc;
