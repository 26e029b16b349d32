#!/bin/sh
# Runs after an upgrade and before the service is restarted. It succeeds if the new edgeplug would start with the configuration on disk.
# Otherwise it prints the mistakes and what to do, and the service must not be restarted: a process that runs is better than none.

#   may-start --next-step: prints what to do after an installation without a configuration
if [ "$1" = --next-step ]; then
    echo "edgeplug is installed and waits for a device class. Write one to /etc/edgeplug/class.d, where examples are, then run:"
    echo "  edgeplug check && systemctl start edgeplug"
    echo "man edgeplug.toml has an example, and /usr/share/doc/edgeplug/start.md the first steps."
    exit 0
fi

# systemd skips a service without an entry.
/usr/lib/edgeplug/has-entry class vfs 2>/dev/null || exit 0
mistakes=$(/usr/bin/edgeplug check --config-only 2>&1 >/dev/null) && exit 0
printf '%s\n' "$mistakes" >&2
if systemctl --quiet is-active edgeplug.service; then
    echo "edgeplug: not restarted, because it would not start; the process from before the upgrade goes on" >&2
else
    echo "edgeplug: not started, because it would not start" >&2
fi
echo "edgeplug: correct each mistake, then run: edgeplug check && systemctl restart edgeplug" >&2
exit 1
