#!/bin/sh
# has-entry KIND...: whether anybody has written an entry of one of these kinds, class or vfs. A node without one is not in
# error, and nothing is started for it. Anything that could be an entry counts; edgeplug then tells what is wrong with it.
kinds=
for kind; do
    grep -qs "^[^#]*$kind" /etc/edgeplug/edgeplug.toml /etc/edgeplug/class.d/*.toml && exit 0
    kinds="${kinds:+$kinds and no }[[$kind]]"
done
echo "no $kinds in /etc/edgeplug/edgeplug.toml or /etc/edgeplug/class.d: nothing to do, not started" >&2
exit 1
