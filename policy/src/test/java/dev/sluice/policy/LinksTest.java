package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What leads out of a text. */
class LinksTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example/x",
                "see evil.example.",
                "evil.example:8080",
                "evil.example?d=1@x",
                "evil.example?d=1@x.example",
                "evil.example#4711@x",
                "evil.example&d@x",
                "evil.example:4711@x",
                "evil.example%3f4711@x",
                "evil.example/4711@x",
                "evil.example!4711@x",
                "a@@evil.example",
                "mailto:a@b.example",
                "evil\u3002example",
                "evil\uff0eexample",
                "evil\uff61example",
                "\uff45\uff56\uff49\uff4c.example",
                "evil&#46;example",
                "evil&#x2E;example",
                "evil&period;example",
                "evil.\u200bexample",
                "evil.\u00adexample",
                "https\uff1a\uff0f\uff0fevil",
                "https:evil",
                "HTTP:evil",
                "localhost:8080/x",
                "//evil/x",
                "\\\\evil\\share",
                "b\u00fccher.example",
                "xn--bcher-kva.example",
                "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
                "\u0909\u0926\u093e\u0939\u0930\u0923.\u092d\u093e\u0930\u0924",
                "\u263a.example",
                "192.0.2.7",
                "go to 192.0.2.7:8080/x.",
                "[here](evil.example)",
            })
    void whatLeadsToAHost_isALink(String text) {
        assertTrue(Links.isIn(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "write to a.b@mail.example",
                "write to a.b@mail.example.",
                "did you write to <a.b+c@mail.example>?",
                "a@mail.example, b@mail.example; c@mail.example",
                "The meeting is over. See you at 10:30!",
                "that is 3.14, e.g. pi",
                "version 1.2.3",
                "1.2.3.4.5",
                "this and/or that",
                "either: this, or that",
                "C:\\notes",
                "@ana #general",
            })
    void whatLeadsNowhere_isNone(String text) {
        assertFalse(Links.isIn(text));
    }

    /** Nobody can tell them apart: programs make links of them too. */
    @ParameterizedTest
    @ValueSource(strings = {"report.pdf", "open notes.md", "the end.Then more"})
    void nameOfAFile_mayLookLikeALink(String text) {
        assertTrue(Links.isIn(text));
    }
}
