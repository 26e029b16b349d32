package io.edgeplug;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** No source file and no method of the daemon is longer than a reader takes in at once. */
final class LengthTest {

    private static final int LINES_OF_A_FILE = 300;

    /** Without the signature. */
    private static final int LINES_OF_A_METHOD = 40;

    @Test
    void noFileIsLongerThan300Lines() throws IOException {
        List<String> longer = new ArrayList<>();
        for (Path file : sources(Path.of("src"))) {
            int lines = Files.readAllLines(file).size();
            if (lines > LINES_OF_A_FILE) {
                longer.add(file + ": " + lines);
            }
        }
        assertThat(longer).isEmpty();
    }

    @Test
    void noMethodIsLongerThan40Lines() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Path> sources = sources(Path.of("src/main/java"));
        List<String> longer = new ArrayList<>();
        int[] methods = new int[1];
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, List.of(), null, files.getJavaFileObjectsFromPaths(sources));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitMethod(MethodTree method, Void none) {
                        Tree body = method.getBody();
                        if (body != null) {
                            methods[0]++;
                            LineMap map = unit.getLineMap();
                            long first = map.getLineNumber(positions.getStartPosition(unit, body));
                            long lines = map.getLineNumber(positions.getEndPosition(unit, body)) - first - 1;
                            if (lines > LINES_OF_A_METHOD) {
                                longer.add(unit.getSourceFile().getName() + ":" + first + ": " + method.getName()
                                        + " has " + lines);
                            }
                        }
                        return super.visitMethod(method, null);
                    }
                }.scan(unit, null);
            }
        }
        assertThat(longer).isEmpty();
        assertThat(methods[0]).isGreaterThan(1000);
    }

    private static List<Path> sources(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
