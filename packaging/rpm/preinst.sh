# Notes for postinst which units the package before this one did not have. rpm tells nobody, once their files are there.
mkdir -p /var/lib/rpm-state/edgeplug || :
for unit in edgeplug.service edgeplug-vfs.service; do
    [ -e /usr/lib/systemd/system/$unit ] || touch /var/lib/rpm-state/edgeplug/$unit || :
done
