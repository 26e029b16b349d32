if [ "$1" = 0 ] && [ -x /usr/bin/systemctl ]; then
    systemctl --no-reload disable --now edgeplug.service >/dev/null 2>&1 || :
fi
