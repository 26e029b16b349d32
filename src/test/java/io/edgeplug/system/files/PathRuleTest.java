package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.PathRule.Status;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kernel's rule on names in directories, case by case. No file is needed, so any user can run it. */
final class PathRuleTest {

    private static final int DIRECTORY = 0040000;
    private static final int FILE = 0100000;
    private static final int LINK = 0120000;

    /** Moving a directory to another one needs the right to write to it. */
    private static int permissions(String word) {
        return switch (word) {
            case "directory", "mounted directory", "shown directory" -> 0755;
            case "group's directory" -> 0775;
            default -> 0777;
        };
    }

    /** The groups have the numbers of the users. {@code me} runs the process, and {@code you} is another user. */
    private static long number(String user, long me) {
        return switch (user) {
            case "root" -> 0;
            case "me" -> me;
            case "tree" -> 3000;
            default -> 2000;
        };
    }

    private static int kind(String word) {
        return switch (word) {
            case "directory", "mounted directory", "shown directory", "open directory", "group's directory" ->
                DIRECTORY;
            case "file", "shown file", "file with two names", "mounted file" -> FILE;
            default -> LINK;
        };
    }

    /** Columns: the directory's mode, owner and group, the entry's kind and owner, and who can lead the name elsewhere. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            0755, root, root, file,                root, ''
            0755, root, root, file,                you, ''
            0755, root, root, file with two names, you, ''
            0755, root, root, link,                you, ''
            0755, root, root, mounted directory,   you, ''
            1755, root, root, mounted file,        root, ''
            0777, root, root, mounted directory,   root, ANYONE
            0755, root, root, directory,           you, ''
            0755, root, root, shown directory,     root, SERVER
            0755, root, root, shown file,          root, SERVER
            0755, root, root, shown directory,     you, ''
            0755, you,  you,  shown directory,     root, SERVER OWNER
            0777, root, root, shown directory,     root, SERVER ANYONE
            1777, root, root, shown directory,     root, SERVER
            0755, tree, tree, file,                you, ''
            0755, root, you,  file,                you, ''
            0755, you,  you,  file,                root, OWNER
            0500, you,  root, file,                root, OWNER
            0000, you,  root, link,                root, OWNER
            1755, you,  root, directory,           root, OWNER
            1755, root, root, link,                you, ''
            0757, root, root, file,                root, ANYONE
            0757, root, root, directory,           root, ANYONE
            0757, root, root, link,                root, ANYONE
            0777, root, you,  file,                root, ANYONE
            0777, you,  you,  file,                root, OWNER ANYONE
            0775, root, you,  file,                root, GROUP
            0775, root, you,  directory,           root, GROUP
            0775, you,  you,  file,                root, OWNER GROUP
            0775, tree, tree, file,                root, GROUP
            2775, root, you,  link,                root, GROUP
            1777, root, root, mounted directory,   root, MOUNT
            1777, root, root, mounted file,        root, MOUNT MOVED
            1775, root, you,  mounted directory,   root, MOUNT
            1777, root, root, directory,           root, ''
            1777, root, root, directory,           you, ENTRY_OWNER
            1777, root, root, open directory,      root, MOVED
            1777, root, root, open directory,      you, ENTRY_OWNER MOVED
            1755, root, root, open directory,      root, ''
            0755, root, root, open directory,      root, ''
            1775, root, you,  open directory,      root, MOVED
            1777, root, root, directory,           tree, ''
            1777, root, root, file,                root, MOVED
            1777, root, root, file,                you, ENTRY_OWNER MOVED
            1777, root, root, file with two names, root, NAMES MOVED
            1777, root, root, file with two names, you, ENTRY_OWNER NAMES MOVED
            1777, root, root, link,                root, MOVED
            1777, root, root, link,                you, ENTRY_OWNER LINK MOVED
            1777, root, root, link with two names, root, NAMES MOVED
            1777, tree, root, directory,           root, ''
            1777, you,  root, directory,           root, OWNER
            1777, you,  root, directory,           you, OWNER ENTRY_OWNER
            1777, you,  root, link,                you, OWNER ENTRY_OWNER MOVED
            1773, root, root, file,                you, ENTRY_OWNER MOVED
            1775, root, you,  directory,           root, ''
            1775, root, you,  directory,           you, ENTRY_OWNER
            1775, root, you,  link,                you, ENTRY_OWNER LINK MOVED
            1775, root, you,  file with two names, root, NAMES MOVED
            """)
    void othersCanLeadANameElsewhere(
            String mode, String owner, String group, String kind, String entryOwner, String expected) {
        // Root and another user differ only in what is their own; see the test below.
        for (long me : List.of(0L, 1000L)) {
            assertThat(breaches(me, mode, owner, group, kind, entryOwner))
                    .as("for user " + me)
                    .isEqualTo(expected);
        }
    }

    /** The cases in which the user of the process counts, with the number of that user. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            0,    0775, root, root, file,                root, GROUP
            0,    1777, root, root, group's directory,   root, MOVED
            1000, 1777, root, root, group's directory,   root, ''
            0,    1775, root, root, file with two names, root, NAMES MOVED
            1000, 0775, root, root, file,                root, ''
            1000, 0775, me,   me,   file,                root, ''
            1000, 0775, root, me,   file,                me, ''
            1000, 0755, me,   me,   link,                you, ''
            1000, 0777, me,   me,   file,                me, ANYONE
            1000, 1777, root, root, directory,           me, ''
            1000, 1777, root, root, file,                me, MOVED
            1000, 1777, root, root, file with two names, me, NAMES MOVED
            1000, 1777, root, root, link,                me, MOVED
            1000, 1777, me,   me,   link,                me, MOVED
            1000, 1777, me,   me,   link,                root, LINK MOVED
            1000, 1777, me,   me,   directory,           root, ''
            1000, 1777, me,   me,   directory,           you, ENTRY_OWNER
            1000, 1777, tree, root, link,                root, LINK MOVED
            1000, 1777, tree, root, link,                tree, MOVED
            0,    1777, tree, root, link,                tree, MOVED
            0,    1777, root, root, link,                tree, LINK MOVED
            """)
    void userOfTheProcessAndItsGroupAreTrusted(
            long me, String mode, String owner, String group, String kind, String entryOwner, String expected) {
        assertThat(breaches(me, mode, owner, group, kind, entryOwner)).isEqualTo(expected);
    }

    private static String breaches(long me, String mode, String owner, String group, String kind, String entryOwner) {
        Status directory =
                new Status(DIRECTORY | Integer.parseInt(mode, 8), number(owner, me), number(group, me), 2, 7, 0);
        // A directory has a name for each directory in it.
        long names = kind.endsWith("directory") ? 5 : kind.endsWith("two names") ? 2 : 1;
        Status entry = new Status(
                kind(kind) | permissions(kind),
                number(entryOwner, me),
                number(entryOwner, me),
                names,
                kind.startsWith("mounted") ? 8 : 7,
                kind.startsWith("shown") ? number("you", me) : 0);
        return String.join(
                " ",
                new PathRule(me, me, number("tree", me))
                        .breaches(directory, entry).stream().map(Enum::name).toList());
    }
}
