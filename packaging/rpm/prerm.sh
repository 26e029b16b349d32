if [ "$1" = 0 ]; then
    if [ -x /usr/bin/systemctl ]; then
        systemctl --no-reload disable --now edgeplug.service edgeplug-vfs.service >/dev/null 2>&1 || :
    fi
    /usr/lib/edgeplug/forget || :
fi
