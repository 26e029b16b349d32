# Runs in the box's tools, which see the box at /box: makes kernel, initrd and disk of them and of the Debian in /box/root.
#   inside.sh amd64|arm64
set -eu
cd /usr/src
root=/box/root
dpkg-deb -x linux-headers-*.deb /
kernel=$(basename linux-headers-*-"$1" | cut -d- -f3-)
case $1 in
    amd64) cross=x86_64-linux-gnu- of=n ;;
    arm64) cross=aarch64-linux-gnu- of=m ;;
esac
source=/usr/src/$(basename linux-source-*.tar.xz .tar.xz)

# the scenarios' modules, containerd's, the disk's and the host's; not all 4,000, which would take minutes to unpack
wanted="ext4 crc32c_generic libcrc32c virtio_blk virtio_rng virtio_console igb igbvf vfio-pci vfio_iommu_type1 uio_pci_generic
    rdma_rxe crc32_generic ib_umad rdma_ucm dummy overlay veth tun vhost_net autofs4 fuse loop xhci_pci ftdi_sio
    usbhid hid-generic evdev usb-storage sd_mod snd-usb-audio nfnetlink xfrm_user"

# Debian's kernel has neither an FPGA subsystem nor iWARP in software: the kernel's own sources of them, and a card
# for the one
tar -xf "$source.tar.xz" -C /usr/src "$(basename "$source")/drivers/fpga" \
    "$(basename "$source")/drivers/infiniband/sw/siw" "$(basename "$source")/scripts/extract-vmlinux"
build() {
    make -s -C "/usr/src/linux-headers-$kernel" -j2 "$@" modules
}
build M="$source/drivers/fpga" CONFIG_FPGA=m CONFIG_FPGA_BRIDGE=m CONFIG_FPGA_REGION=m CONFIG_OF_FPGA_REGION=$of
build M="$source/drivers/infiniband/sw/siw" CONFIG_RDMA_SIW=m
build M=/box/fpga KBUILD_EXTRA_SYMBOLS="$source/drivers/fpga/Module.symvers"

dpkg-deb -x linux-image-*.deb /box/kernel
ln -s usr/lib /box/kernel/lib
depmod -b /box/kernel "$kernel"
modules=$root/usr/lib/modules/$kernel
for module in $wanted; do
    modprobe -d /box/kernel -S "$kernel" --show-depends "$module"
done | awk '$1 == "insmod" {print $2}' | sort -u | while read -r file; do
    install -D -m 644 -t "$modules/kernel" "$file"
done
unxz "$modules/kernel"/*.xz
install -D -m 644 -t "$modules/extra" "$source"/drivers/fpga/*.ko "$source"/drivers/infiniband/sw/siw/siw.ko \
    /box/fpga/stand-in-fpga.ko
"${cross}strip" -g "$modules/extra"/*.ko
cp "/box/kernel/lib/modules/$kernel"/modules.builtin* "/box/kernel/lib/modules/$kernel/modules.order" "$modules/"
depmod -b "$root" "$kernel"

# a kernel that QEMU need not unpack starts seconds sooner; Debian does not pack that for arm64
case $1 in
    amd64) sh "$source/scripts/extract-vmlinux" "/box/kernel/boot/vmlinuz-$kernel" >/box/vmlinux ;;
    arm64)
        cp "/box/kernel/boot/vmlinuz-$kernel" /box/vmlinux
        # the device tree that QEMU would make, and the FPGA; what names another node needs the tree as a source
        qemu-system-aarch64 -M virt,gic-version=3,dumpdtb=/box/virt.dtb -cpu neoverse-n1 -smp 2,sockets=2 -m 2G -display none
        { dtc -q -O dts /box/virt.dtb; cat /box/fpga/board.dts; } | dtc -q -O dtb -o /box/board.dtb
        ;;
esac

# The initrd loads what random numbers and the disk need, in the order of dependencies, and hands over to systemd. Without
# random numbers, D-Bus and logind wait for minutes. Their driver has no message of its own that shows when it is there.
initrd=/box/initrd.d
mkdir -p "$initrd/dev" "$initrd/new"
cp "$root/usr/bin/busybox" "$initrd/"
{
    echo '#!/busybox sh'
    echo '/busybox mount -t devtmpfs dev /dev'
    for module in virtio_rng crc32c_generic ext4 virtio_blk; do
        modprobe -d "$root" -S "$kernel" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' | while read -r file; do
        cp "$file" "$initrd/"
        echo "/busybox insmod /$(basename "$file")"
        case $file in */virtio-rng.ko) echo 'echo "node: virtio_rng is loaded" >/dev/kmsg' ;; esac
    done
    echo 'while ! [ -b /dev/vda ]; do /busybox usleep 20000; done'
    echo '/busybox mount -t ext4 -o noatime /dev/vda /new'
    echo '/busybox mount --move /dev /new/dev'
    echo 'exec /busybox switch_root /new /sbin/init'
} >"$initrd/init"
chmod +x "$initrd/init"
(cd "$initrd" && find . | cpio --quiet -o -H newc) >/box/initrd

# the node
cp -r /box/files/. "$root/"
chmod +x "$root"/usr/lib/node/*
echo node >"$root/etc/hostname"
: >"$root/etc/fstab"
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
systemd=$root/etc/systemd/system
mkdir -p "$systemd/sysinit.target.wants"
ln -sf /etc/systemd/system/host-shell.service "$systemd/sysinit.target.wants/"
ln -sf /etc/systemd/system/host-ready.service "$systemd/multi-user.target.wants/"
rm -f "$systemd/multi-user.target.wants/containerd.service"
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer e2scrub_all.timer \
    e2scrub_reap.service systemd-pstore.service getty@tty1.service serial-getty@ttyS0.service \
    serial-getty@ttyAMA0.service ldconfig.service systemd-update-utmp.service sys-kernel-tracing.mount sys-kernel-debug.mount; do
    ln -sf /dev/null "$systemd/$unit"
done
megabytes=$(($(du -sm --apparent-size "$root" | cut -f1) * 12 / 10 + 700))
rm -f /box/root.img
mke2fs -q -t ext4 -O ^has_journal,^metadata_csum -m 0 -d "$root" /box/root.img "${megabytes}M"
