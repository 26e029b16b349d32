if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    # After an upgrade, the new files are there.
    if [ "$1" -ge 1 ]; then systemctl try-restart edgeplug.service || :; fi
fi
