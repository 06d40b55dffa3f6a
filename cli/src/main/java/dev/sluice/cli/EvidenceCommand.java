package dev.sluice.cli;

import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.DraftProfile;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes and checks the digests of evidence records. */
@Command(
        name = "evidence",
        mixinStandardHelpOptions = true,
        header = "Make or check the digest of an evidence record.",
        synopsisSubcommandLabel = "(digest | verify)")
final class EvidenceCommand {

    /** What a record may hold. */
    enum RecordProfile {
        /** Whatever has a canonical form. */
        ANY,
        /** What the draft's value profile has. */
        DRAFT
    }

    /** How the bytes are made. */
    static final class Form {

        @Option(
                names = "--canonicalization",
                paramLabel = "<id>",
                required = true,
                description = "The canonical form: jcs/rfc8785 or cbor/rfc8949.")
        private String id = "";

        @Option(
                names = "--profile",
                paramLabel = "<profile>",
                description = "draft refuses what the draft's profile of values lacks: fractions, negative numbers.")
        private RecordProfile profile = RecordProfile.ANY;

        @Option(
                names = "--round-large-integers",
                description = {
                    "Round integers beyond 2^53, as RFC 8785 has it, and say so: other records then",
                    "have the same digest. They are refused otherwise."
                })
        private boolean rounds;

        /**
         * Returns the digest of the record in {@code json}.
         *
         * @throws Main.InputFailure where it has none
         */
        Digest digest(byte[] json) {
            Canonicalization form = Canonicalizations.of(id)
                    .orElseThrow(() -> new Main.InputFailure("`" + id.toLowerCase(Locale.ROOT)
                            + "` is no canonical form known here; use one of "
                            + String.join(", ", Canonicalizations.ids())));
            if (rounds && !(form instanceof JcsCanonicalizer)) {
                throw new Main.InputFailure(
                        "`--round-large-integers` is for `" + JcsCanonicalizer.ID + "`: `" + id + "` has all integers");
            }
            try {
                JsonIndex.Value record = JsonIndex.parse(json).root();
                if (profile == RecordProfile.DRAFT) {
                    DraftProfile.check(record);
                }
                if (!rounds) {
                    return Digest.sha256(form.canonicalize(record));
                }
                JcsCanonicalizer.Written written = Canonicalizations.JCS_ROUNDING.write(record);
                if (written.rounded()) {
                    Output.aside("an integer beyond 2^53 was rounded: other records have this digest too");
                }
                return Digest.sha256(written.bytes());
            } catch (MalformedJsonException e) {
                throw new Main.InputFailure("the record is no strict JSON: " + e.getMessage());
            } catch (CanonicalizationException e) {
                throw new Main.InputFailure(String.valueOf(e.getMessage()));
            }
        }
    }

    @Command(
            name = "digest",
            mixinStandardHelpOptions = true,
            header = "Print the digest of a record.",
            description = {
                "",
                "Prints the digest alone. Ends with 2 where the record is no strict JSON, or has",
                "no canonical form that stands for it alone.",
                ""
            })
    int digest(@Mixin Form form, @Mixin InputFile record) {
        new Output().line(form.digest(record.read()).text());
        return 0;
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            header = "Check that a record has a digest.",
            description = {
                "",
                "Ends with 0 where it has it, with 1 where it has another, and with 2 where that",
                "can't be told.",
                ""
            })
    int verify(
            @Option(
                            names = "--digest",
                            paramLabel = "<digest>",
                            required = true,
                            description = "What the digest should be: `sha256:` and 64 hex digits.")
                    String wanted,
            @Mixin Form form,
            @Mixin InputFile record) {
        if (!Digest.isDigest(wanted)) {
            throw new Main.InputFailure("`" + wanted + "` is no digest; write `sha256:` and 64 lower-case hex digits");
        }
        Digest found = form.digest(record.read());
        if (found.text().equals(wanted)) {
            return 0;
        }
        Output.aside("the record has another digest: " + found);
        return 1;
    }
}
