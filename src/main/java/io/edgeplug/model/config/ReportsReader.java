package io.edgeplug.model.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code [metrics]} and {@code [labels]}. */
final class ReportsReader {

    /** An address in digits, so that no name server is asked; an IPv6 address is in brackets. */
    private static final Pattern ADDRESS = Pattern.compile("(\\d[\\d.]*|\\[[\\da-fA-F:.]+])?:(\\d{1,5})");

    private static final int MAX_PORT = 65_535;
    private static final String SUFFIX = ".prom";

    private ReportsReader() {}

    static Config.Reports read(Table main) {
        Optional<Table> metrics = main.table("metrics");
        return new Config.Reports(
                metrics.flatMap(ReportsReader::listen),
                metrics.flatMap(ReportsReader::textfile),
                main.table("labels").flatMap(table -> table.bool("nfd")).orElse(Config.Reports.NONE.nfdLabels()));
    }

    private static Optional<InetSocketAddress> listen(Table table) {
        return table.string("listen").flatMap(text -> {
            Matcher address = ADDRESS.matcher(text);
            Optional<InetSocketAddress> parsed = address.matches() ? parse(address) : Optional.empty();
            if (parsed.isEmpty()) {
                table.mistake(
                        "listen",
                        "\"" + text + "\" is not an address and port, such as \"127.0.0.1:9464\" or \"[::1]:9464\"");
            }
            return parsed;
        });
    }

    private static Optional<InetSocketAddress> parse(Matcher address) {
        int port = Integer.parseInt(address.group(2));
        try {
            String host =
                    address.group(1) == null ? "0.0.0.0" : address.group(1).replaceAll("[\\[\\]]", "");
            return port == 0 || port > MAX_PORT
                    ? Optional.empty()
                    : Optional.of(new InetSocketAddress(InetAddress.ofLiteral(host), port));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The collector reads only files whose names end in .prom. */
    private static Optional<Path> textfile(Table table) {
        Optional<Path> file = ConfigFiles.absolute(table, "textfile");
        return file.filter(path -> {
            String name = String.valueOf(path.getFileName());
            boolean isProm = name.endsWith(SUFFIX) && !name.startsWith(".") && name.length() > SUFFIX.length();
            if (!isProm) {
                table.mistake("textfile", "must be a file whose name ends in .prom: node_exporter reads no other");
            }
            return isProm;
        });
    }
}
