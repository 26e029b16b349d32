package io.edgeplug.node.prepare;

import io.edgeplug.system.files.ForeignText;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.kernel.LinkAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The IP addresses that an administrator gives to devices: on each line the ID of a device and its addresses. It is read
 * at each start of a container, so a change needs no reload.
 */
final class AddressesFile {

    private static final int MAX_BYTES = 1 << 20;

    private AddressesFile() {}

    /**
     * The addresses by device.
     *
     * @throws IOException if the file cannot be read, or a line has a wrong form; the message names the file
     */
    static Map<String, List<LinkAddress>> read(Sysfs sysfs, String path) throws IOException {
        Map<String, List<LinkAddress>> found = new HashMap<>();
        try (BufferedReader text = new BufferedReader(ForeignText.open(sysfs.locate(path.substring(1)), MAX_BYTES))) {
            int number = 0;
            for (String line = text.readLine(); line != null; line = text.readLine()) {
                number++;
                String said = line.replaceFirst("#.*", "").strip();
                if (!said.isEmpty()) {
                    add(found, said.split("\\s+"), "line " + number + ": ");
                }
            }
        } catch (IOException e) {
            throw new IOException(path + ": " + KernelReason.words(e), e);
        }
        return found;
    }

    private static void add(Map<String, List<LinkAddress>> found, String[] words, String place) throws IOException {
        List<LinkAddress> addresses = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            String word = words[i];
            addresses.add(LinkAddress.parse(word)
                    .filter(LinkAddress::isOfHost)
                    .orElseThrow(() -> new IOException(
                            place + "\"" + word + "\" is not an address of a host with its prefix, as 192.0.2.7/24")));
        }
        if (addresses.isEmpty()) {
            throw new IOException(place + words[0] + " has no address; a line is DEVICE ADDRESS/PREFIX ...");
        }
        if (found.putIfAbsent(words[0], addresses) != null) {
            throw new IOException(place + words[0] + " has a line already");
        }
    }
}
