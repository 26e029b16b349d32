#!/bin/sh
# Whether anybody has written a device class: a node without one is not in error, and needs no daemon. Anything that
# could be a class counts; the daemon then tells what is wrong with it.
if grep -qs '^[^#]*class' /etc/edgeplug/edgeplug.toml /etc/edgeplug/class.d/*.toml; then
    exit 0
fi
echo "no [[class]] in /etc/edgeplug/edgeplug.toml or /etc/edgeplug/class.d: nothing to do, not started" >&2
exit 1
