package io.edgeplug.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checker is one only if it finds what is wrong. */
final class CdiCheckerTest {

    private static final String GOOD = """
            {"cdiVersion": "0.5.0", "kind": "example.com/x",
             "devices": [{"name": "0000:3b:01.0", "containerEdits": {"deviceNodes": [{"path": "/dev/x"}]}}]}
            """;

    @Test
    void soundSpecificationHasNoProblem() {
        assertThat(CdiChecker.problems(GOOD)).isEmpty();
        assertThat(CdiChecker.isQualified("example.com/x=0000:3b:01.0")).isTrue();
        assertThat(CdiChecker.isQualified("example.com/x=-a")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"0.5.0\"           | \"0.6.0\"                | needs 0.5.0",
                "\"0.5.0\"           | \"0.3.0\"                | needs 0.5.0",
                "\"0.5.0\"           | \"2.0.0\"                | is none",
                "example.com/x       | example.com              | not vendor/class",
                "example.com/x       | 1example.com/x           | not vendor/class",
                "example.com/x       | example.com/x_           | not vendor/class",
                "example.com/x       | example.com/x.y          | needs 0.6.0",
                "0000:3b:01.0        | 0000:3b:01.              | device name",
                "\"path\": \"/dev/x\"| \"path\": \"x\"          | not absolute",
                "\"path\": \"/dev/x\"| \"pth\": \"/dev/x\"      | unknown field pth",
                "{\"path\": \"/dev/x\"} | {\"path\": \"/x\", \"permissions\": \"rx\"} | permissions",
                "{\"deviceNodes\": [{\"path\": \"/dev/x\"}]} | {} | empty containerEdits",
                "{\"deviceNodes\": [{\"path\": \"/dev/x\"}]} | [] | is no object",
                "{\"path\": \"/dev/x\"} | {\"path\": \"/x\", \"hostPath\": null} | is null"
            })
    void whatIsWrongIsFound(String sound, String wrong, String problem) {
        assertThat(GOOD).contains(sound);
        assertThat(CdiChecker.problems(GOOD.replace(sound, wrong))).anyMatch(told -> told.contains(problem));
    }
}
