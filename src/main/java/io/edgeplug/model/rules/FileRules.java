package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.PathGlob;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files that a class of kind {@code path} names.
 *
 * @param patterns of files that are devices by themselves
 * @param groups of files that are devices together
 */
public record FileRules(ResourceName resource, List<PathGlob> patterns, List<PathGroup> groups, Identity identity) {

    public FileRules {
        patterns = List.copyOf(patterns);
        groups = List.copyOf(groups);
    }

    /**
     * The devices that a class makes of its files.
     *
     * @param id the ID of each; empty for the name of its first file
     * @param sharedWith the resources that may have the same files
     */
    public record Identity(Optional<Template> id, Set<ResourceName> sharedWith) {

        /** The devices of a class without such keys. */
        public static final Identity USUAL = new Identity(Optional.empty(), Set.of());

        public Identity {
            sharedWith = Set.copyOf(sharedWith);
        }

        /**
         * Whether the ID of a USB device says its port, and not what is plugged in. Some accelerators change vendor and
         * product when they are used for the first time.
         */
        public boolean isNamedByPort() {
            return id.filter(template -> Collections.disjoint(
                            template.words(), Set.of(TemplateWord.VENDOR, TemplateWord.PRODUCT, TemplateWord.SERIAL)))
                    .isPresent();
        }
    }

    /**
     * Whether these devices are all that it may ever have, and none of their paths leads to another device later. Other
     * directories than {@code /dev} do not get device nodes by themselves.
     */
    public boolean isFixed(List<? extends Device> now) {
        return groups.isEmpty()
                && now.size() >= patterns.size()
                && patterns.stream().noneMatch(one -> one.path().startsWith("/dev/") && one.isOfSeveral())
                && now.stream().noneMatch(Device::mayLeadElsewhere);
    }

    /** Whether both classes may have a file. It is enough if one of them says so. */
    public boolean sharesWith(FileRules other) {
        return identity.sharedWith().contains(other.resource)
                || other.identity.sharedWith().contains(resource);
    }

    /** The device as that of this class. If the class shares files, no other class takes it, and its ID is its own. */
    public PathDevice own(PathDevice device) {
        Optional<String> id = identity.id().map(template -> template.fill(device));
        return identity.sharedWith().isEmpty()
                ? device.withId(id.orElse(device.id()))
                : device.withId(id.orElse(resource.name() + "-" + device.id())).ownedBy(resource);
    }
}
