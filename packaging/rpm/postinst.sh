# whose members may ask the daemon for its status; it stays, as a package must not remove a group
if command -v groupadd >/dev/null; then
    getent group edgeplug >/dev/null || groupadd --system edgeplug || :
fi
# enabled at the first installation; what an administrator has disabled stays disabled
if [ "$1" = 1 ] && [ -x /usr/bin/systemctl ]; then
    systemctl --no-reload preset edgeplug.service edgeplug-vfs.service >/dev/null 2>&1 || :
    systemctl --no-reload enable edgeplug.service edgeplug-vfs.service >/dev/null 2>&1 || :
fi
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
