# Members of this group may ask the daemon for its status. The group stays after removal, because a package must not remove a group.
if command -v groupadd >/dev/null; then
    getent group edgeplug >/dev/null || groupadd --system edgeplug || :
fi
# A service is enabled with the first package that has it, even by an upgrade. One that an administrator has disabled stays disabled.
for unit in edgeplug.service edgeplug-vfs.service; do
    if [ -e /var/lib/rpm-state/edgeplug/$unit ]; then
        if [ -x /usr/bin/systemctl ]; then
            systemctl --no-reload preset $unit >/dev/null 2>&1 || :
            systemctl --no-reload enable $unit >/dev/null 2>&1 || :
        fi
        unlink /var/lib/rpm-state/edgeplug/$unit || :
    fi
done
rmdir /var/lib/rpm-state/edgeplug 2>/dev/null || :
if [ -S /run/udev/control ]; then
    udevadm control --reload || :
    # The new rules must also apply to devices that are already there.
    udevadm trigger --action=change --subsystem-match=pci || :
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    # Without an entry in the configuration, has-entry has systemd skip it. edgeplug-vfs.service waits for the next boot.
    if [ "$1" = 1 ] && /usr/lib/edgeplug/may-start; then systemctl start edgeplug.service || :; fi
    if [ "$1" = 1 ] && ! /usr/lib/edgeplug/has-entry class vfs 2>/dev/null; then /usr/lib/edgeplug/may-start --next-step; fi
fi
