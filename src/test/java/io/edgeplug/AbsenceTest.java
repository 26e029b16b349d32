package io.edgeplug;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Absence inside a class is {@code @Nullable}, which NullAway checks. {@code Optional} is only what a method returns,
 * and a component of a record.
 */
final class AbsenceTest {

    private static final String ROOT = "io.edgeplug.";

    @Test
    void noFieldAndNoParameterIsOptional() {
        List<String> wrong = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.edgeplug").stream()
                        .flatMap(type -> Stream.concat(type.getFields().stream(), type.getCodeUnits().stream()))
                        .filter(AbsenceTest::isWrong)
                        .map(JavaMember::getFullName)
                        .sorted()
                        .toList();
        assertThat(wrong).isEmpty();
    }

    /**
     * The components of a record are its fields and the parameters of what makes one: its constructors and the methods that
     * return one. Its private methods may work on them as they are.
     */
    private static boolean isWrong(JavaMember member) {
        boolean isRecord = member.getOwner().isRecord();
        if (member.getModifiers().contains(JavaModifier.SYNTHETIC)
                || member.getOwner().getPackageName().startsWith(ROOT + "proto")) {
            return false;
        }
        return member instanceof JavaCodeUnit code
                ? !(isRecord && isOfComponents(code))
                        && code.getRawParameterTypes().stream().anyMatch(AbsenceTest::isOptional)
                : !isRecord && member instanceof JavaField field && isOptional(field.getRawType());
    }

    private static boolean isOfComponents(JavaCodeUnit code) {
        return code instanceof JavaConstructor
                || code.getModifiers().contains(JavaModifier.PRIVATE)
                || code.getRawReturnType().equals(code.getOwner());
    }

    private static boolean isOptional(JavaClass type) {
        return type.isEquivalentTo(Optional.class)
                || type.isEquivalentTo(OptionalInt.class)
                || type.isEquivalentTo(OptionalLong.class);
    }
}
