package io.edgeplug.node.container;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.ShortName;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names by the CDI specification 1.1.0. A resource is a kind, {@code vendor/class}, and the ID of a device is its name.
 */
final class CdiNames {

    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?");
    private static final String OURS = "edgeplug_";
    private static final String SUFFIX = ".json";
    private static final int MAX_FILE_NAME = 255;
    private static final int MAX_ANNOTATION_NAME = 63;

    private CdiNames() {}

    /** Why an ID cannot be a device's name. */
    static Optional<String> problem(String id) {
        return DEVICE.matcher(id).matches()
                ? Optional.empty()
                : Optional.of("its ID cannot be a CDI device name: letters, digits and _.:- with a letter or digit at "
                        + "both ends");
    }

    static String qualified(ResourceName resource, String id) {
        return resource + "=" + id;
    }

    /** The key of an annotation that names devices of this resource only. */
    static String annotation(ResourceName resource) {
        return "cdi.k8s.io/" + ShortName.of(OURS + resource.prefix() + "_" + resource.name(), MAX_ANNOTATION_NAME);
    }

    /** The file with the devices of this resource only. */
    static String file(ResourceName resource) {
        return ShortName.of(OURS + resource.prefix() + "_" + resource.name(), MAX_FILE_NAME - SUFFIX.length()) + SUFFIX;
    }

    /** Whether a file with that name belongs to edgeplug. */
    static boolean isOurs(String fileName) {
        return fileName.startsWith(OURS) && fileName.endsWith(SUFFIX);
    }
}
