package io.edgeplug.bench;

import java.util.function.Consumer;

/** Figures that are measured together. */
interface Section {

    /** What it is called on the command line. */
    String name();

    void measure(Consumer<Figure> figures) throws Exception;
}
