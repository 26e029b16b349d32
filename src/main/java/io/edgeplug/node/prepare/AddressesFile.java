package io.edgeplug.node.prepare;

import io.edgeplug.system.files.ForeignText;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.kernel.LinkAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The IP addresses that an administrator gives to devices: on each line the ID of a device and its addresses. It is read
 * at each start of a container, so a change needs no reload. Many devices are prepared at a time, so one line is in memory.
 */
final class AddressesFile {

    private static final int MAX_BYTES = 1 << 20;

    /** Many times the longest line, with a comment. */
    private static final int MAX_LINE = 4096;

    private AddressesFile() {}

    /**
     * The addresses of a device; none if it has no line.
     *
     * @throws IOException if the file cannot be read, or a line has a wrong form; the message names the file
     */
    static List<LinkAddress> read(Sysfs sysfs, String path, String device) throws IOException {
        List<LinkAddress> found = new ArrayList<>();
        each(sysfs, path, words -> {
            List<LinkAddress> addresses = addresses(words);
            if (words[0].equals(device)) {
                refuseSecond(found.isEmpty(), device);
                found.addAll(addresses);
            }
        });
        return found;
    }

    /** Checks all lines, as {@link #read} does for one device. */
    static void check(Sysfs sysfs, String path) throws IOException {
        Set<String> devices = new HashSet<>();
        each(sysfs, path, words -> {
            List<LinkAddress> ignored = addresses(words);
            refuseSecond(devices.add(words[0]), words[0]);
        });
    }

    /** Handles the words of a line. */
    private interface Line {
        void accept(String[] words) throws IOException;
    }

    private static void each(Sysfs sysfs, String path, Line told) throws IOException {
        int number = 0;
        try (Reader text = new BufferedReader(ForeignText.open(sysfs.locate(path.substring(1)), MAX_BYTES))) {
            StringBuilder line = new StringBuilder();
            boolean isLast = false;
            while (!isLast) {
                number++;
                isLast = readLine(text, line);
                String said = line.toString().replaceFirst("#.*", "").strip();
                if (!said.isEmpty()) {
                    told.accept(said.split("\\s+"));
                }
            }
        } catch (WrongLineException e) {
            throw new IOException(path + ": line " + number + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(path + ": " + KernelReason.words(e), e);
        }
    }

    /** A line has a wrong form. The message follows its number. */
    private static final class WrongLineException extends IOException {

        private static final long serialVersionUID = 1;

        WrongLineException(String message) {
            super(message);
        }
    }

    /** Returns whether it was the last one. */
    private static boolean readLine(Reader text, StringBuilder line) throws IOException {
        line.setLength(0);
        int next = text.read();
        while (next >= 0 && next != '\n') {
            line.append((char) next);
            if (line.length() > MAX_LINE) {
                throw new WrongLineException("has more than " + MAX_LINE + " characters");
            }
            next = text.read();
        }
        return next < 0;
    }

    private static List<LinkAddress> addresses(String[] words) throws IOException {
        List<LinkAddress> addresses = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            String word = words[i];
            addresses.add(LinkAddress.parse(word)
                    .filter(LinkAddress::isOfHost)
                    .orElseThrow(() -> new WrongLineException(
                            "\"" + word + "\" is not an address of a host with its prefix, as 192.0.2.7/24")));
        }
        if (addresses.isEmpty()) {
            throw new WrongLineException(words[0] + " has no address; a line is DEVICE ADDRESS/PREFIX ...");
        }
        return addresses;
    }

    private static void refuseSecond(boolean isFirst, String device) throws IOException {
        if (!isFirst) {
            throw new WrongLineException(device + " has a line already");
        }
    }
}
