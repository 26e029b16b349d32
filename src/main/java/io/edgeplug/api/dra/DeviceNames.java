package io.edgeplug.api.dra;

import io.edgeplug.model.device.ShortName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Preference;
import java.util.Locale;
import java.util.regex.Pattern;

/** The names of devices in slices, which are DNS labels: {@code 0000-3b-02-1} for the function at {@code 0000:3b:02.1}. */
public final class DeviceNames {

    private static final int MAX_LABEL = 63;
    private static final int HASH_BYTES = 6;

    /** A PCI function or a part of one. Two of them never become the same label. */
    private static final Pattern FUNCTION =
            Pattern.compile("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7](-[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?)?");

    private static final Pattern LIKE_FUNCTION = Pattern.compile("[0-9a-f]{4,8}-[0-9a-f]{2}-[0-9a-f]{2}-[0-7](-.*)?");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private DeviceNames() {}

    /** The name of a device or a share, by its ID. It is unique on the node, also among the faces of the device. */
    public static String of(DeviceClass deviceClass, String id) {
        return of(id + (deviceClass.isFace() ? " " + deviceClass.resource() : ""));
    }

    /**
     * Whether the shares of a class are a capacity of their device, which has one name then. An API server that does
     * not know this gets a device for each share. So does a class that spreads: of a capacity, the scheduler gives the
     * first device to all pods that start at once.
     */
    public static boolean isCapacity(DeviceClass deviceClass) {
        return deviceClass.sharing().isShared() && deviceClass.placement().preference() == Preference.PACK;
    }

    /** The name of the device with that ID, which is unique on the node. */
    static String of(String id) {
        if (FUNCTION.matcher(id).matches()) {
            return id.replace(':', '-').replace('.', '-');
        }
        if (LABEL.matcher(id).matches() && !LIKE_FUNCTION.matcher(id).matches()) {
            return id;
        }
        String plain = id.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        String start = plain.substring(0, Math.min(plain.length(), MAX_LABEL - 2 * HASH_BYTES - 1));
        return (start.isEmpty() ? "x" : start) + "-" + ShortName.hash(id, HASH_BYTES);
    }
}
