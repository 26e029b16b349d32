#!/usr/bin/env bash
# Builds the box, all that QEMU needs to be a Debian node, from Debian packages alone: build.sh amd64|arm64 DIR
#
# DIR/tools is a Debian with QEMU and with what builds the rest, so that this machine needs no more than mmdebstrap.
# DIR/vmlinux, initrd and root.img are the node.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
architecture=$1
mkdir -p "$2"
box=$(cd "$2" && pwd)

release=trixie
# where this machine's own packages come from, unless told
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true)
mirror=${EDGEPLUG_NODE_MIRROR:-$(awk '/^URIs:/ {print $2; exit} /^deb / {print $2; exit}' <<<"$sources")}

# linux-headers-amd64 brings what builds modules for any architecture
tools=ipxe-qemu,qemu-utils,linux-headers-amd64,linux-source,gcc,make,xz-utils,zstd,cpio,e2fsprogs,kmod
case $architecture in
    amd64) tools=$tools,qemu-system-x86,seabios ;;
    arm64) tools=$tools,qemu-system-arm,qemu-efi-aarch64,gcc-aarch64-linux-gnu,device-tree-compiler ;;
esac
node=systemd,systemd-sysv,dbus,udev,kmod,iproute2,pciutils,rdma-core,procps,containerd,runc,podman,busybox-static

debian() { # debian PACKAGES ROOT OPTION...
    local packages=$1 root=$2
    shift 2
    mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" --dpkgopt=force-unsafe-io \
        --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Retries "5"' \
        --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$@" "$release" "$root" "deb $mirror $release main"
}

# the node's packages have scripts and programs to run when they are installed
if [ "$architecture" != amd64 ]; then
    skip() { echo "$1"; exit 1; }
    source "$here/../packages/emulation"
    trap unregister EXIT
    emulate "$architecture"
fi
debian "$node" "$box/root" --architectures="$architecture" &
debian "$tools" "$box/tools" --architectures="$(printf '%s\n' amd64 "$architecture" | uniq | paste -sd,)" \
    --customize-hook='chroot "$1" sh -ec "
        cd /usr/src
        kernel=\$(basename linux-headers-*-amd64 -amd64 | cut -d- -f3)-'"$architecture"'
        apt-get -q download linux-image-\$kernel:'"$architecture"' linux-headers-\$kernel:'"$architecture"'"'
wait $!

mkdir -p "$box/tools/box"
cp -r "$here/fpga" "$here/files" "$here/inside.sh" "$box/"
# a mount that is nobody else's ends with what made it
unshare --mount sh -ec '
    mount --bind "$1" "$1/tools/box"
    mount -t proc proc "$1/tools/proc"
    exec chroot "$1/tools" sh /box/inside.sh "$2"' build "$box" "$architecture"
rm -rf "$box"/{root,kernel,initrd.d,fpga,files,inside.sh,virt.dtb} "$box"/tools/usr/src/*
