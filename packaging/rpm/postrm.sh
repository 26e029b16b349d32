if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || :
    # After an upgrade, the new files are there. A configuration that the new edgeplug refuses must not end the process that runs.
    if [ "$1" -ge 1 ] && /usr/lib/edgeplug/may-start; then systemctl try-restart edgeplug.service || :; fi
fi
