package io.edgeplug.api.status;

import java.util.Optional;

/**
 * A container that has a device.
 *
 * @param podUid the pod's UID, which the kubelet notes first
 * @param pod the pod's name, once it is known
 * @param namespace of the pod, once it is known
 */
public record Holder(String podUid, Optional<String> namespace, Optional<String> pod, String container) {}
