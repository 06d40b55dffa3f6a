package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Source;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is permitted to read what. */
class AudienceMemberTest {

    private static AudienceMember recipient(String text) {
        return AudienceMember.recipient("mail", text);
    }

    @Test
    void everySource_permitsItsServerAndNoOther() {
        for (Source source : List.of(
                new Source.OfServer("mail"),
                new Source.OfResource("mail", "o/r"),
                Source.Readers.of("mail", List.of("ana@clinic.example")))) {
            assertTrue(new AudienceMember.Upstream("mail").permittedBy(source));
            assertFalse(new AudienceMember.Upstream("Mail").permittedBy(source));
            assertFalse(new AudienceMember.Upstream("chat").permittedBy(source));
            assertFalse(new AudienceMember.Anyone().permittedBy(source));
            assertFalse(new AudienceMember.Unresolved("a list").permittedBy(source));
        }
    }

    @Test
    void resource_isPermittedByItselfOnly() {
        AudienceMember member = new AudienceMember.OfResource("forge", "o/r");

        assertTrue(member.permittedBy(new Source.OfResource("forge", "o/r")));
        assertFalse(member.permittedBy(new Source.OfResource("forge", "o/s")));
        assertFalse(member.permittedBy(new Source.OfResource("other", "o/r")));
        assertFalse(member.permittedBy(new Source.OfServer("forge")));
        assertFalse(member.permittedBy(Source.Readers.of("forge", List.of("o/r"))));
    }

    @Test
    void address_isTheSamePersonEverywhere() {
        AudienceMember ana = recipient("ANA@clinic.example");

        assertTrue(ana.permittedBy(Source.Readers.of("files", List.of("bo@clinic.example", "Ana@Clinic.example"))));
        assertFalse(ana.permittedBy(Source.Readers.of("mail", List.of("bo@clinic.example"))));
        assertFalse(ana.permittedBy(new Source.OfServer("mail")));
    }

    @Test
    void name_isSomebodyElseOnAnotherServer() {
        AudienceMember ana = recipient("ana");

        assertTrue(ana.permittedBy(Source.Readers.of("mail", List.of("Ana"))));
        assertFalse(ana.permittedBy(Source.Readers.of("chat", List.of("ana"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u212aim@clinic.example", // the Kelvin sign, whose lower case is k
                "\u017fam@clinic.example",
                "Kim <kim@clinic.example>",
                "kim@clinic.example ",
            })
    void readerThatIsNoPlainAddress_permitsNobody(String reader) {
        Source source = Source.Readers.of("mail", List.of(reader));

        assertFalse(recipient("kim@clinic.example").permittedBy(source));
        assertFalse(recipient("sam@clinic.example").permittedBy(source));
        assertFalse(recipient(reader).permittedBy(source));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "ana@clinic.example,eve@evil.example",
                "ana@clinic.example;eve@evil.example",
                "ana@clinic.example eve@evil.example",
                "ana@clinic.example\neve@evil.example",
                "ana@clinic.example\n",
                "ana@clinic.example\u0000",
                "Ana <ana@clinic.example>",
                "\"ana\"@clinic.example",
                "ana@clinic.example@evil.example",
                "ana@[127.0.0.1]",
                "ana@clinic..example",
                "ana@",
                "@clinic.example ",
                "mailto:ana@clinic.example",
                "https://evil.example/ana@clinic.example",
                "ana/bo",
                "an\u0430@clinic.example",
                "ana\u200b@clinic.example",
                "undisclosed-recipients:;",
            })
    void textThatIsNoSingleRecipient_isOutside(String text) {
        assertInstanceOf(AudienceMember.Unresolved.class, recipient(text));
    }

    @Test
    void overlongRecipient_isOutside() {
        assertInstanceOf(AudienceMember.Person.class, recipient("a".repeat(307) + "@evil.example"));
        assertInstanceOf(AudienceMember.Unresolved.class, recipient("a".repeat(308) + "@evil.example"));
        assertInstanceOf(AudienceMember.Account.class, recipient("a".repeat(64)));
        assertInstanceOf(AudienceMember.Unresolved.class, recipient("a".repeat(65)));
    }

    @Test
    void namesInSentences_endNoQuotesAndBeginNoSentence() {
        String hostile = "x`. \u001b[31m$(rm)\n\u202eSYSTEM";

        assertEquals("x?.???31m??rm???SYSTEM", PlainName.of(hostile));
        assertEquals(
                "everybody who can see `x?.???31m??rm???SYSTEM` on `f`",
                new AudienceMember.OfResource("f", hostile).display());
        assertEquals(
                "whoever the argument `x?.???31m??rm???SYSTEM` means",
                new AudienceMember.Named(hostile, new AudienceMember.Anyone()).display());
        assertEquals("`a?b@evil.example`", recipient("a`b@evil.example").display());
        assertEquals("a".repeat(128) + "...", PlainName.of("a".repeat(129)));
        assertEquals("a".repeat(128), PlainName.of("a".repeat(128)));
        assertEquals("?", PlainName.of("\ud800"));
    }

    @Test
    void wordForACommand_isOneWordToAShell() {
        assertTrue(PlainName.isWord("read_file"));
        assertTrue(PlainName.isWord("notes.read-all/v2"));
        for (String name : List.of("", "--all", "a b", "a;b", "a|b", "$(a)", "`a`", "a\n", "~", "*", "a'b", "\u00e9")) {
            assertFalse(PlainName.isWord(name), name);
        }
    }
}
