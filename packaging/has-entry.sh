#!/bin/sh
# has-entry KIND...: succeeds if the configuration has an entry of one of these kinds (class, vfs). A node without an
# entry is not an error, and nothing is started on it. Everything that looks like an entry counts: edgeplug then reports its mistakes.
kinds=
for kind; do
    grep -qs "^[^#]*$kind" /etc/edgeplug/edgeplug.toml /etc/edgeplug/class.d/*.toml && exit 0
    kinds="${kinds:+$kinds and no }[[$kind]]"
done
echo "no $kinds in /etc/edgeplug/edgeplug.toml or /etc/edgeplug/class.d: nothing to do, not started" >&2
exit 1
