#!/bin/sh
# Runs edgeplug in the Java runtime of its package.

# The JVM reads file names in the encoding of the locale.
export LC_ALL=C.UTF-8
# The compiler takes memory in pieces of 32 KB. The C library returns each of them to the kernel at once, and so none
# stays behind as a gap between small ones. This saves 1.5 MB, and a thread of the JVM that would look for gaps.
export MALLOC_MMAP_THRESHOLD_=30000
# These are for other Java programs of the node, and may name what this runtime does not have.
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
# The JVM does not start in a directory that was deleted.
[ . -ef "$PWD" ] || cd /
home=/usr/lib/edgeplug

# The cache halves the start. But the JVM silently runs a class of the cache even if its jar was replaced. So a cache that is older
# than any jar is not used, and its name is a hash of the jars that it was made of.
cache=$home/@CACHE@
[ -r "$cache" ] || cache=
for jar in "$home"/lib/*.jar; do
    [ "$jar" -nt "$cache" ] && cache=
done

exec "$home/runtime/bin/java" "@$home/jvm.options" ${cache:+"-XX:AOTCache=$cache"} "@$home/class.path" \
    io.edgeplug.cli.Main "$@"
