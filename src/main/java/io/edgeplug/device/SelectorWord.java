package io.edgeplug.device;

import io.edgeplug.linux.PathGlob;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A key of {@code [class.match]}; the words are those of the SR-IOV network device plugin's selectors. */
public enum SelectorWord {
    /** PCI vendor IDs. */
    VENDORS(text -> functionId(text, PciFunction::vendor)),
    /** PCI device IDs. */
    DEVICES(text -> functionId(text, PciFunction::device)),
    /** PCI class codes of two, four or six digits: base class, subclass, programming interface. */
    CLASSES(SelectorWord::classCode),
    /** Names of bound drivers. */
    DRIVERS(text -> device -> device.driver().equals(Optional.of(text))),
    /** Addresses of functions. */
    PCI_ADDRESSES(SelectorWord::address),
    /** Network interfaces of PFs, with or without the numbers of their VFs: {@code ens1f0#0,2-7}. */
    PF_NAMES(text -> {
        VfRange range = VfRange.parse(text);
        return range.test(
                vf -> vf.physicalNetNames().contains(range.pf()),
                pf -> pf.netNames().contains(range.pf()),
                hca -> hca.netName().equals(range.pf()));
    }),
    /** Addresses of PFs, with or without the numbers of their VFs: {@code 0000:86:00.0#0-1,3}. */
    ROOT_DEVICES(text -> {
        VfRange range = VfRange.parse(text);
        PciAddress pf = parseAddress(range.pf());
        return range.test(
                vf -> vf.physicalFunction().equals(pf),
                function -> function.address().equals(pf),
                hca -> false);
    }),
    /** Types of links, of interfaces and RDMA ports: {@code ether} or {@code infiniband}. */
    LINK_TYPES(SelectorWord::linkType),
    /** Whether there is an RDMA device: {@code true} or {@code false}. */
    IS_RDMA(text -> device -> !device.rdmaDevices().isEmpty() == text.equals("true")),
    /** Files, as absolute paths in which {@code *} and {@code ?} match within a name. */
    PATHS(SelectorWord::path);

    private static final Pattern HEX = Pattern.compile("(?:0x)?([0-9a-f]+)", Pattern.CASE_INSENSITIVE);

    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    private final Function<String, Predicate<Device>> compiler;

    SelectorWord(Function<String, Predicate<Device>> compiler) {
        this.compiler = compiler;
    }

    /** The word that a class says, {@code pf_names}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the key can match a device of that kind at all. */
    public boolean concerns(Kind kind) {
        return switch (kind) {
            case VF -> this != PATHS;
            case NIC, HCA -> this != PATHS;
            case PCI, FPGA ->
                switch (this) {
                    case VENDORS, DEVICES, CLASSES, DRIVERS, PCI_ADDRESSES -> true;
                    case PF_NAMES, ROOT_DEVICES, LINK_TYPES, IS_RDMA, PATHS -> false;
                };
            case PATH -> this == PATHS;
        };
    }

    /** Whether a class says {@code true} or {@code false}, and not an array of strings. */
    public boolean isBoolean() {
        return this == IS_RDMA;
    }

    /** What a device has for this key to look at. */
    String actual(Device device) {
        return switch (device) {
            case PathDevice path -> path.path();
            case PlatformFpga fpga -> this == DRIVERS ? fpga.driver().orElse("no driver") : "no PCI function";
            case SoftwareHca hca ->
                switch (this) {
                    case PF_NAMES -> hca.netName();
                    case LINK_TYPES, IS_RDMA -> rdmaWord(linkTypes(hca), hca);
                    default -> "no PCI function";
                };
            case PciDevice pci -> {
                PciFunction function = pci.function();
                yield switch (this) {
                    case VENDORS -> "%04x".formatted(function.vendor());
                    case DEVICES -> "%04x".formatted(function.device());
                    case CLASSES -> "%06x".formatted(function.classCode());
                    case DRIVERS -> function.driver().orElse("no driver");
                    case PCI_ADDRESSES -> function.address().toString();
                    case PF_NAMES, ROOT_DEVICES -> pfOf(pci);
                    case LINK_TYPES, IS_RDMA -> rdmaWord(function.linkTypes(), device);
                    case PATHS -> "no file";
                };
            }
        };
    }

    private String rdmaWord(List<String> linkTypes, Device device) {
        if (this == IS_RDMA) {
            return String.valueOf(!device.rdmaDevices().isEmpty());
        }
        return linkTypes.isEmpty() ? "no link" : String.join(", ", linkTypes);
    }

    private static List<String> linkTypes(Device device) {
        return switch (device) {
            case PciDevice pci -> pci.function().linkTypes();
            case SoftwareHca hca ->
                hca.rdma().ports().stream()
                        .flatMap(port -> port.linkType().stream())
                        .distinct()
                        .toList();
            case PathDevice path -> List.of();
            case PlatformFpga fpga -> List.of();
        };
    }

    private static Predicate<Device> linkType(String text) {
        if (!text.equals("ether") && !text.equals("infiniband")) {
            throw new IllegalArgumentException("is none of ether, infiniband");
        }
        return device -> linkTypes(device).contains(text);
    }

    private String pfOf(PciDevice device) {
        if (device instanceof VirtualFunction vf) {
            String pf = this == PF_NAMES
                    ? String.join(", ", vf.physicalNetNames())
                    : vf.physicalFunction().toString();
            return (pf.isEmpty() ? "a PF without interface" : pf) + "#" + vf.index();
        }
        return this == PF_NAMES
                ? String.join(", ", device.function().netNames())
                : device.function().address().toString();
    }

    /** What is wrong with the form of a value of this key. */
    public Optional<String> problem(String text) {
        try {
            compile(text);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    /**
     * What one value of this key matches.
     *
     * @throws IllegalArgumentException if the value has a wrong form; the message tells the right one
     */
    Predicate<Device> compile(String text) {
        return compiler.apply(text);
    }

    private static Predicate<Device> pci(Predicate<PciDevice> test) {
        return device -> device instanceof PciDevice pci && test.test(pci);
    }

    private static Predicate<Device> functionId(String text, ToIntFunction<PciFunction> attribute) {
        int id = hex(text, "four hexadecimal digits, as 8086", 4);
        return pci(device -> attribute.applyAsInt(device.function()) == id);
    }

    private static Predicate<Device> classCode(String text) {
        int wanted = hex(text, "two, four or six hexadecimal digits, as 0200", 2, 4, 6);
        int shift = 4 * (6 - digits(text).length());
        return pci(device -> device.function().classCode() >> shift == wanted);
    }

    private static Predicate<Device> address(String text) {
        PciAddress address = parseAddress(text);
        return pci(device -> device.function().address().equals(address));
    }

    private static Predicate<Device> path(String text) {
        PathGlob pattern = PathGlob.parse(text);
        return device -> device instanceof PathDevice path && pattern.matches(path.path());
    }

    private static PciAddress parseAddress(String text) {
        return PciAddress.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("is not a PCI address, as 0000:3b:02.1"));
    }

    private static String digits(String text) {
        Matcher matcher = HEX.matcher(text);
        return matcher.matches() ? matcher.group(1) : "";
    }

    private static int hex(String text, String form, int... lengths) {
        String digits = digits(text);
        for (int length : lengths) {
            if (digits.length() == length) {
                return Integer.parseInt(digits, 16);
            }
        }
        throw new IllegalArgumentException("is not " + form);
    }

    /**
     * A PF, and which of its VFs.
     *
     * @param numbers empty for all
     */
    private record VfRange(String pf, Optional<BitSet> numbers) {

        private static final Pattern ITEM = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

        static VfRange parse(String text) {
            int hash = text.indexOf('#');
            String pf = hash < 0 ? text : text.substring(0, hash);
            if (pf.isEmpty()) {
                throw new IllegalArgumentException("names no PF");
            }
            return new VfRange(pf, hash < 0 ? Optional.empty() : Optional.of(numbers(text.substring(hash + 1))));
        }

        /** Takes these VFs of the PF, and if it names no numbers, the PF itself. */
        Predicate<Device> test(
                Predicate<VirtualFunction> isOfPf, Predicate<PciFunction> isPf, Predicate<SoftwareHca> isOn) {
            return device -> switch (device) {
                case VirtualFunction vf ->
                    isOfPf.test(vf) && numbers.map(set -> set.get(vf.index())).orElse(true);
                case PciDevice whole -> numbers.isEmpty() && isPf.test(whole.function());
                case SoftwareHca hca -> numbers.isEmpty() && isOn.test(hca);
                case PlatformFpga fpga -> false;
                case PathDevice path -> false;
            };
        }

        private static BitSet numbers(String list) {
            BitSet set = new BitSet();
            for (String item : list.split(",", -1)) {
                Matcher matcher = ITEM.matcher(item);
                if (!matcher.matches()) {
                    throw new IllegalArgumentException("needs VF numbers after #, as 0,2-7");
                }
                int from = Integer.parseInt(matcher.group(1));
                int to = matcher.group(2) == null ? from : Integer.parseInt(matcher.group(2));
                if (to < from) {
                    throw new IllegalArgumentException("has a range that ends before it begins: " + item);
                }
                set.set(from, to + 1);
            }
            return set;
        }
    }
}
