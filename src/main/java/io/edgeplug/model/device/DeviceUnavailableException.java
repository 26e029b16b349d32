package io.edgeplug.model.device;

import io.edgeplug.system.kernel.PlainText;
import java.util.List;

/**
 * A device that the kubelet asked for cannot be given. The message is a sentence for {@code kubectl describe pod}.
 *
 * <p>The message has no full stop, because the kubelet continues it:
 * {@code Allocate failed due to …, which is unexpected}.
 */
public final class DeviceUnavailableException extends Exception {

    private static final long serialVersionUID = 1;

    /** The message must fit into a header of 8 KiB and into an event of a pod, which has 1 KiB. */
    private static final int MAX = 800;

    /** No ID of a device or a share is longer. */
    private static final int MAX_ID = 128;

    /** How many devices of a request a message names. */
    private static final int NAMED = 2;

    private DeviceUnavailableException(String sentence) {
        super(PlainText.start(sentence, MAX));
    }

    public static DeviceUnavailableException none(ResourceName resource) {
        return new DeviceUnavailableException("No device of " + resource + " was asked for");
    }

    public static DeviceUnavailableException notHere(ResourceName resource, String id) {
        return new DeviceUnavailableException(device(resource, id) + " is not on this node");
    }

    public static DeviceUnavailableException ofAnother(ResourceName resource, String id, ResourceName owner) {
        return new DeviceUnavailableException(
                "Device " + cut(id) + " is a device of " + owner + ", and not of " + resource);
    }

    /** No class takes the device any more: the device or its class has changed since the kubelet was told of it. */
    public static DeviceUnavailableException ofNone(ResourceName resource, String id) {
        return new DeviceUnavailableException(
                "Device " + cut(id) + " is on this node, and no longer a device of " + resource);
    }

    /** Earlier looks at files of other devices have not returned, so no more are started. */
    public static DeviceUnavailableException notLookedAt(ResourceName resource) {
        return new DeviceUnavailableException(
                "Devices of " + resource + " cannot be looked at, because looks at other files have not returned");
    }

    public static DeviceUnavailableException twice(ResourceName resource, String id) {
        return new DeviceUnavailableException(device(resource, id) + " was asked for twice");
    }

    public static DeviceUnavailableException moreThanOneShare(ResourceName resource, List<String> ids) {
        return new DeviceUnavailableException(
                "A container may ask for one device of %s, and asked for %d (%s): they are shared, and a second share gives it nothing more"
                        .formatted(resource, ids.size(), some(ids)));
    }

    /** A device is unhealthy or cannot be handed over. */
    public static DeviceUnavailableException unhealthy(ResourceName resource, String id, String problem) {
        return new DeviceUnavailableException(device(resource, id) + " is unhealthy: " + clause(problem));
    }

    public static DeviceUnavailableException held(ResourceName resource, String id, String container, String pod) {
        return new DeviceUnavailableException(device(resource, id) + " is held by container " + container + " of pod "
                + pod + ", as the kubelet has noted, and this is not the start of that container");
    }

    /** Each device is healthy, but one container cannot have all of them. */
    public static DeviceUnavailableException notTogether(ResourceName resource, List<String> ids, String problem) {
        return new DeviceUnavailableException(
                "Devices of " + resource + " cannot be given to one container (" + some(ids) + "): " + problem);
    }

    public static DeviceUnavailableException unfitAfterwards(ResourceName resource, String id, String problem) {
        return new DeviceUnavailableException(
                device(resource, id) + " was prepared and cannot be handed over: " + problem);
    }

    private static String device(ResourceName resource, String id) {
        return "Device " + cut(id) + " of " + resource;
    }

    /** A problem is a clause without its subject. The subject is the device, or edgeplug if a look has failed. */
    private static String clause(String problem) {
        if (problem.matches("(?s)(is|has|does|lacks|could) .*")) {
            return "it " + problem;
        }
        if (problem.matches("(?s)(read|readlink|list|stat) .*")) {
            return "edgeplug cannot " + problem;
        }
        return problem.startsWith("cannot ") ? "edgeplug " + problem : problem;
    }

    private static String some(List<String> ids) {
        return PlainText.some(ids.stream().map(DeviceUnavailableException::cut).toList(), NAMED);
    }

    /** Cuts a text that is too long to be an ID. */
    private static String cut(String id) {
        return id.isEmpty() ? "\"\"" : id.length() > MAX_ID ? id.substring(0, MAX_ID) + "…" : id;
    }
}
