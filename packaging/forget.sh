#!/bin/sh
# Runs when the package is removed. It deletes edgeplug's sockets, and its files for container runtimes and Multus. The daemon
# deletes them itself when it stops, but not when it is killed.

keys() { # keys NAME: prints each value of this key in the configuration files on a line
    sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*[\"']\([A-Za-z0-9._/-]*\)[\"'].*/\1/p" \
        /etc/edgeplug/edgeplug.toml /etc/edgeplug/class.d/*.toml 2>/dev/null
}

for directory in /run/cdi $(keys cdi_dir); do
    rm -f "$directory"/edgeplug_*.json
done
# Others keep files here too. Those of edgeplug are named by resource and PCI address.
for directory in /run/k8s.cni.cncf.io/devinfo/dp $(keys device_info_dir); do
    for resource in $(keys resource | tr / -); do
        rm -f "$directory/$resource"-????:??:??.?*-device.json
    done
done
for directory in /var/lib/kubelet/device-plugins $(keys kubelet_dir); do
    rm -f "$directory"/edgeplug/edgeplug-*.sock
    [ ! -d "$directory/edgeplug" ] || rmdir "$directory/edgeplug" 2>/dev/null
done
for file in $(keys textfile); do
    case $file in *.prom) rm -f "$file" ;; esac
done
rm -f /etc/kubernetes/node-feature-discovery/features.d/edgeplug
exit 0
