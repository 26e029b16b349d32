# Notes the units that the previous package did not have. postinst needs them, and cannot tell once the new files are there.
mkdir -p /var/lib/rpm-state/edgeplug || :
for unit in edgeplug.service edgeplug-vfs.service; do
    [ -e /usr/lib/systemd/system/$unit ] || touch /var/lib/rpm-state/edgeplug/$unit || :
done
