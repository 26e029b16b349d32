package io.edgeplug.api.status;

import io.edgeplug.system.flow.Outcomes;
import java.util.Optional;

/**
 * How things stand with devices that pods claim.
 *
 * @param driver the name of the driver that offers them
 * @param pool of this node's slices; empty until it is known
 * @param generation the pool's
 * @param slices how many the API server has
 * @param devices how many are in them
 * @param problem why the API server does not have them as they should be; empty if it has
 * @param claims how many have devices
 * @param preparations of claims: how many came about, and how many failed
 */
public record ClaimingStatus(
        String driver,
        String pool,
        long generation,
        int slices,
        int devices,
        Optional<String> problem,
        int claims,
        Outcomes.Counts preparations) {}
