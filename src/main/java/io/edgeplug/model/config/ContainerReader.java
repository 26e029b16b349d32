package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.ContainerRules;
import io.edgeplug.model.rules.ContainerRules.MountRule;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.TemplateWord;
import io.edgeplug.model.rules.UsbRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rules of a class for its containers.
 *
 * @param kind of the class, if it is given
 */
record ContainerReader(Table table, @Nullable Kind kind) {

    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern OWN_ENV_NAME =
            Pattern.compile("(PCIDEVICE|PCI_RESOURCE|USBDEVICE|FPGA_REGION|FPGA_AFU)_.*");
    private static final Pattern ANNOTATION =
            Pattern.compile("([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern PERMISSIONS = Pattern.compile("(?!.*(.).*\\1)[rwm]{1,3}");
    private static final Pattern MOUNT = Pattern.compile("(/[^:]*)(?::(/[^:]*))?(:ro|:rw)?");
    private static final String CDI_ANNOTATION = "cdi.k8s.io/";

    ContainerRules read(@Nullable ResourceName resource) {
        HandOver handOver = handOver(resource);
        boolean cdiAnnotations = table.bool("cdi_annotations").orElse(false);
        if (cdiAnnotations && handOver != HandOver.CDI) {
            table.mistake("cdi_annotations", "needs hand_over = \"cdi\"");
        }
        Optional<String> permissions = table.string("permissions");
        permissions
                .filter(text -> !PERMISSIONS.matcher(text).matches())
                .ifPresent(text -> table.mistake("permissions", "\"" + text + "\" must be some of the letters rwm"));
        return new ContainerRules(
                handOver,
                cdiAnnotations,
                permissions,
                containerDir(),
                containerPaths(),
                usbNodes(),
                managementEngine(),
                mounts(),
                env(),
                templates("annotations", this::checkAnnotation),
                additionalInfo());
    }

    private HandOver handOver(@Nullable ResourceName resource) {
        HandOver way = Words.oneOf(table, "hand_over", HandOver.class).orElse(HandOver.DEVICE_NODES);
        if (way == HandOver.CDI && resource != null && !(isCdiName(resource.prefix()) && isCdiName(resource.name()))) {
            table.mistake(
                    "hand_over",
                    "\"cdi\" needs a resource whose domain and name begin with a letter and have two characters or"
                            + " more");
        }
        return way;
    }

    /** The specification allows one character, but the parser of podman 5.4 panics on it. */
    private static boolean isCdiName(String name) {
        char first = name.charAt(0);
        boolean isLetter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
        return isLetter && name.length() > 1;
    }

    /** Without the ID, equal names of two devices' nodes would collide in the container. */
    private Optional<Template> containerDir() {
        Optional<Template> directory = table.string("container_dir").flatMap(text -> path("container_dir", text));
        directory
                .filter(one -> kind != Kind.PATH && !one.words().contains(TemplateWord.ID))
                .ifPresent(one -> table.mistake("container_dir", "must hold {id}, so that no two devices meet there"));
        return directory;
    }

    private List<Template> containerPaths() {
        Words.concerns(table, "container_path", kind, Set.of(Kind.PATH, Kind.USB));
        if (table.has("container_path") && table.has("container_dir")) {
            table.mistake("container_path", "contradicts container_dir, which also says where the files are");
        }
        if (table.has("container_path")
                && !table.has("container_path", String.class)
                && !table.has("container_path", List.class)) {
            table.mistakeOfType("container_path", "a string in quotes or an array of strings");
            return List.of();
        }
        List<String> texts = table.has("container_path", String.class)
                ? table.string("container_path").stream().toList()
                : table.strings("container_path");
        return texts.stream()
                .flatMap(text -> pathOfFile(text).stream())
                .distinct()
                .toList();
    }

    private List<String> usbNodes() {
        Words.concerns(table, "nodes", kind, Set.of(Kind.USB));
        List<String> words = table.strings("nodes");
        words.stream()
                .filter(word -> !UsbRules.NODES.contains(word))
                .forEach(word -> table.mistake(
                        "nodes", "\"" + word + "\" is none of " + String.join(", ", new TreeSet<>(UsbRules.NODES))));
        return words;
    }

    /** A path of the file may begin with the file's own. */
    private Optional<Template> pathOfFile(String text) {
        return text.startsWith("{path}") || text.startsWith("{target}")
                ? Words.template(table, "container_path", text, kind)
                : path("container_path", text);
    }

    private boolean managementEngine() {
        boolean wanted = table.bool("fpga_management").orElse(false);
        if (wanted) {
            Words.concerns(table, "fpga_management", kind, Set.of(Kind.FPGA));
        }
        return wanted;
    }

    private List<MountRule> mounts() {
        List<MountRule> rules = new ArrayList<>();
        for (String text : table.strings("mounts")) {
            Matcher parts = MOUNT.matcher(text);
            if (!parts.matches()) {
                table.mistake("mounts", "\"" + text + "\" must be HOST_PATH[:CONTAINER_PATH][:ro|:rw]");
                continue;
            }
            Optional<Template> host = path("mounts", parts.group(1));
            Optional<Template> container = parts.group(2) == null ? host : path("mounts", parts.group(2));
            if (host.isPresent() && container.isPresent()) {
                if (!container
                        .orElseThrow()
                        .words()
                        .containsAll(host.orElseThrow().words())) {
                    table.mistake(
                            "mounts",
                            "\"" + text + "\" must have all words of its first path in its second, so that no two "
                                    + "devices meet there");
                }
                rules.add(new MountRule(host.orElseThrow(), container.orElseThrow(), !":rw".equals(parts.group(3))));
            }
        }
        return rules;
    }

    /** A single name stands for a variable with the device IDs. */
    private SortedMap<String, Template> env() {
        if (table.has("env", String.class)) {
            TreeMap<String, Template> one = new TreeMap<>();
            table.string("env").ifPresent(name -> {
                checkVariable(name, "env");
                one.put(name, id());
            });
            return one;
        }
        if (table.has("env") && !table.has("env", Map.class)) {
            table.mistakeOfType("env", "a string in quotes or a table of strings");
            return new TreeMap<>();
        }
        return templates("env", this::checkVariable);
    }

    private static Template id() {
        return Template.parse("{" + TemplateWord.ID.word() + "}", null);
    }

    private void checkVariable(String name, String key) {
        if (OWN_ENV_NAME.matcher(name).matches()) {
            table.mistake(key, "\"" + name + "\" begins as the variables that edgeplug sets by itself");
        } else if (!ENV_NAME.matcher(name).matches()) {
            table.mistake(key, "\"" + name + "\" is not a name for an environment variable");
        }
    }

    private void checkAnnotation(String name, String key) {
        if (!ANNOTATION.matcher(name).matches() || name.startsWith(CDI_ANNOTATION)) {
            table.mistake(key, "is not an annotation's key");
        }
    }

    /** Reads a table of templates. The check gets each name, and the whole key. */
    private SortedMap<String, Template> templates(String key, BiConsumer<String, String> check) {
        TreeMap<String, Template> templates = new TreeMap<>();
        table.texts(key).forEach((name, text) -> {
            check.accept(name, key + "." + name);
            Words.template(table, key + "." + name, text, kind).ifPresent(template -> templates.put(name, template));
        });
        return templates;
    }

    private SortedMap<String, Map<String, String>> additionalInfo() {
        TreeMap<String, Map<String, String>> info = new TreeMap<>();
        for (Table devices : table.tables("additional_info")) {
            for (String device : devices.keys()) {
                info.put(device, devices.texts(device));
            }
        }
        return info;
    }

    private Optional<Template> path(String key, String text) {
        if (!text.startsWith("/")) {
            table.mistake(key, "\"" + text + "\" must be an absolute path");
        }
        return Words.template(table, key, text, kind);
    }
}
