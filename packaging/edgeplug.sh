#!/bin/sh
# Runs edgeplug in the Java runtime that comes with it.

# the JVM spells file names as the locale does
export LC_ALL=C.UTF-8
home=/usr/lib/edgeplug

# The cache halves the start. The JVM would run a class of the cache also where its jar has been replaced, without a
# word: so a cache that is older than any jar is left alone, and its name is a hash of the jars that it was made of.
cache=$home/@CACHE@
[ -r "$cache" ] || cache=
for jar in "$home"/lib/*.jar; do
    [ "$jar" -nt "$cache" ] && cache=
done

exec "$home/runtime/bin/java" "@$home/jvm.options" ${cache:+"-XX:AOTCache=$cache"} "@$home/class.path" \
    io.edgeplug.cli.Main "$@"
