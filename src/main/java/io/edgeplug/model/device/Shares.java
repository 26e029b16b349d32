package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The IDs by which the kubelet knows a device: its own ID, or {@code ID::0} to {@code ID::N-1} if it is shared.
 *
 * <p>Only the code that talks to the kubelet knows of shares. Health, NUMA nodes and the settings of a container belong
 * to the device.
 *
 * @param perDevice 1 if devices are not shared
 */
public record Shares(int perDevice) {

    /** The separator between the ID of the device and the number of the share. */
    public static final String SEPARATOR = "::";

    private static final Pattern SHARE = Pattern.compile("(.+)" + SEPARATOR + "(0|[1-9]\\d{0,3})");

    /** The IDs of a device, of which that many shares are listed. */
    public List<String> ids(String device, int listed) {
        if (perDevice == 1) {
            return List.of(device);
        }
        return IntStream.range(0, listed)
                .mapToObj(share -> device + SEPARATOR + share)
                .toList();
    }

    /**
     * The device of an ID, which is its own or that of a share. The name of a device may contain the separator, such
     * as the LED {@code input3::capslock}, but not with a number after it.
     */
    public static String whole(String id) {
        int at = id.lastIndexOf(SEPARATOR);
        boolean isShare = at > 0 && id.length() > at + SEPARATOR.length();
        for (int digit = at + SEPARATOR.length(); isShare && digit < id.length(); digit++) {
            isShare = id.charAt(digit) >= '0' && id.charAt(digit) <= '9';
        }
        return isShare ? id.substring(0, at) : id;
    }

    /** The device that an ID belongs to; empty if it is none of {@link #ids}. */
    public Optional<String> device(String id) {
        if (perDevice == 1) {
            return Optional.of(id);
        }
        Matcher share = SHARE.matcher(id);
        return share.matches() && Integer.parseInt(share.group(2)) < perDevice
                ? Optional.of(share.group(1))
                : Optional.empty();
    }
}
