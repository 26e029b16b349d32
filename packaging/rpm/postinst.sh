# whose members may ask the daemon for its status; it stays, as a package must not remove a group
if command -v groupadd >/dev/null; then
    getent group edgeplug >/dev/null || groupadd --system edgeplug || :
fi
# enabled with the first package that has it, be it an upgrade; what an administrator has disabled stays disabled
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
    # the new rules apply to devices that are there already
    udevadm trigger --action=change --subsystem-match=pci || :
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    # without an entry of the configuration it is skipped, see has-entry; edgeplug-vfs.service is left to the next boot
    if [ "$1" = 1 ]; then systemctl start edgeplug.service || :; fi
fi
