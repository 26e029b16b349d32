#!/bin/sh
# Runs when the package is removed. It deletes edgeplug's sockets, and its files for container runtimes and Multus. The daemon
# deletes them itself when it stops, but not when it is killed.

keys() { # keys NAME: prints each value of this key in the configuration files on a line
    sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*[\"']\([A-Za-z0-9._/-]*\)[\"'].*/\1/p" \
        /etc/edgeplug/edgeplug.toml /etc/edgeplug/class.d/*.toml 2>/dev/null
}

for directory in /run/cdi $(keys cdi_dir); do
    rm -f "$directory"/edgeplug_*.json "$directory"/edgeplug-claim_*.json
done
# Others keep files here too. Those of edgeplug are named by resource and PCI address, whose domain has four to eight digits.
d=[0-9a-f]
for directory in /run/k8s.cni.cncf.io/devinfo/dp $(keys device_info_dir); do
    for resource in $(keys resource | tr / -); do
        for domain in "$d$d$d$d" "$d$d$d$d$d" "$d$d$d$d$d$d" "$d$d$d$d$d$d$d" "$d$d$d$d$d$d$d$d"; do
            rm -f "$directory/$resource"-$domain:??:??.?*-device.json
        done
    done
done
for directory in /var/lib/kubelet/device-plugins $(keys kubelet_dir); do
    rm -f "$directory"/edgeplug/edgeplug-*.sock
    [ ! -d "$directory/edgeplug" ] || rmdir "$directory/edgeplug" 2>/dev/null
done
# The name of the driver is in a table of its own. The kubelet's root is above the directory in which resources are registered.
drivers="edgeplug.io $(sed -n '/^\[dra\]/,/^\[[^d]/p' /etc/edgeplug/edgeplug.toml 2>/dev/null \
    | sed -n "s/^[[:space:]]*driver[[:space:]]*=[[:space:]]*[\"']\([A-Za-z0-9._-]*\)[\"'].*/\1/p")"
roots="/var/lib/kubelet $(keys kubelet_root) $({ keys kubelet_dir; keys plugins_registry_dir; } | sed 's,/[^/]*/*$,,')"
for root in $roots; do
    for registry in "$root/plugins_registry" $(keys plugins_registry_dir); do
        rm -f "$registry"/edgeplug-*.sock
        for driver in $drivers; do rm -f "$registry/$driver-reg.sock"; done
    done
    for driver in $drivers; do
        rm -f "$root/plugins/$driver/dra.sock" "$root/plugins/$driver"/dra-device-metadata/*.json
        for directory in "$root/plugins/$driver/dra-device-metadata" "$root/plugins/$driver"; do
            [ ! -d "$directory" ] || rmdir "$directory" 2>/dev/null
        done
    done
done
for file in $(keys textfile); do
    case $file in *.prom) rm -f "$file" ;; esac
done
rm -f /etc/kubernetes/node-feature-discovery/features.d/edgeplug
exit 0
