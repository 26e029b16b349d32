package io.edgeplug.node.prepare;

import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.programs.Program;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the programs and images that a recipe needs, before any device is prepared. */
public record RecipeFiles(Sysfs sysfs) {

    /** A line for each file that is missing or has another digest. Reads each image completely. */
    public List<String> problems(Recipe recipe) {
        List<String> problems = new ArrayList<>();
        for (Step step : recipe.steps()) {
            switch (step) {
                case Step.Program program -> {
                    image(program).ifPresent(problems::add);
                    program.tool().flatMap(this::program).ifPresent(problems::add);
                }
                case Step.Command command -> program(command).ifPresent(problems::add);
                case Step.Vf vf -> {}
                case Step.Reset reset -> {}
                case Step.Driver driver -> {}
                case Step.Interface moved ->
                    moved.addressesFile().flatMap(this::addresses).ifPresent(problems::add);
            }
        }
        return problems;
    }

    /** Why that program could not be started, or must not be. */
    public Optional<String> program(String path) {
        Path file = sysfs.locate(path.substring(1));
        try {
            return Program.problem(file).map(problem -> path + ": " + problem);
        } catch (IOException e) {
            return Optional.of(path + ": " + KernelReason.words(e));
        }
    }

    private Optional<String> addresses(String path) {
        try {
            AddressesFile.check(sysfs, path);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** A program whose path depends on the device is checked when that device is prepared. */
    private Optional<String> program(Step.Command command) {
        return command.argv().stream()
                .limit(1)
                .filter(path -> path.isConstant())
                .flatMap(path -> program(path.text()).stream())
                .findFirst();
    }

    private Optional<String> image(Step.Program program) {
        Path image = sysfs.locate(program.file().substring(1));
        try {
            Bitstream.verify(image, program.sha256());
            return Optional.empty();
        } catch (AccessDeniedException e) {
            return Optional.of(program.file() + ": is closed to this user, so that its sha256 is not known");
        } catch (IOException e) {
            // In the tree of another node, the file has another path here than there.
            return Optional.of(String.valueOf(e.getMessage()).replace(image.toString(), program.file()));
        }
    }
}
