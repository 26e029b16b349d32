package io.edgeplug.packaging;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A jar as it is installed: without what only a debugger, a build or another system reads. The daemon has the names of
 * all entries in its heap, and all names in its classes in the class cache.
 */
final class InstalledJar {

    /** Native libraries, which are installed as files; files for builds; constants of other systems. */
    private static final Pattern UNUSED = Pattern.compile(".*\\.(so|dll|jnilib|dylib|a|proto|pro)"
            + "|META-INF/(maven|native-image|proguard|versions/[0-9]+/module-info).*"
            + "|(.*/)?module-info\\.class"
            + "|jnr/constants/platform/(aix|darwin|dragonflybsd|freebsd|openbsd|solaris|windows)/.*"
            + "|.*/");

    /** Without the names of local variables. The numbers of lines stay, for reports of bugs. */
    private static final ClassFile CLASSES =
            ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG, ClassFile.ConstantPoolSharingOption.NEW_POOL);

    private InstalledJar() {}

    /** Writes one, from what Maven has. */
    static void write(Path jar, Path to, FileTime time) throws IOException {
        try (JarFile from = new JarFile(jar.toFile());
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(to));
                ZipOutputStream entries = new ZipOutputStream(out)) {
            entries.setLevel(Deflater.BEST_COMPRESSION);
            List<JarEntry> used = from.stream()
                    .filter(entry -> !UNUSED.matcher(entry.getName()).matches())
                    .toList();
            for (JarEntry entry : used) {
                // Not the same entry, because it knows how long it was.
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setLastModifiedTime(time);
                entries.putNextEntry(copy);
                try (InputStream in = from.getInputStream(entry)) {
                    entries.write(content(entry.getName(), in.readAllBytes()));
                }
            }
        }
    }

    private static byte[] content(String name, byte[] bytes) {
        if (!name.endsWith(".class")) {
            return bytes;
        }
        try {
            return CLASSES.transformClass(CLASSES.parse(bytes), ClassTransform.ACCEPT_ALL);
        } catch (IllegalArgumentException e) {
            // It needs a library that the product does not have, so it stays as it is, and nothing loads it.
            return bytes;
        }
    }
}
