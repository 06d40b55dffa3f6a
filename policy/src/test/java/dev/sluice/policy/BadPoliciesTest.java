// This file has more than 400 lines because each bad sample stands here with the words that a person gets to read.
package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files under {@code bad/}, each named after its fault, and the words a person gets to read about it. */
class BadPoliciesTest {

    /** File, and what comes after its name in each line of the message. */
    private static final String[][] SAMPLES = {
        {"audience-unknown-key", ":3: `domain` is no key of an audience; did you mean `domains`?"},
        {"inside-unknown-audience", ":2: `clinc` is no audience of this policy; describe it under `audiences`"},
        {"inert-also-payload", ":7: `body` can't be inert and also payload, audience or resource; keep one"},
        {"accepts-is-a-mapping", ":6: each entry of `accepts` must be one text"},
        {"format-unknown", ":8: `format` can't be `xml`; write one of json, yaml"},
        {"items-is-a-name", ":8: `items` must be a pointer, such as /messages/*, or \"\" for the whole answer"},
        {"items-is-a-list", ":8: `items` must be a pointer, such as /messages/*, or \"\" for the whole answer"},
        {
            "items-in-defaults",
            ":5: `items` is no key of `defaults`; these are: classes, confidentiality, integrity, readers, spans"
        },
        {
            "expression-in-defaults",
            ":5: `integrity` can't be `item.ok ? 'trusted' : 'untrusted'`; write one of trusted, untrusted"
        },
        {"field-is-no-pointer", ":9: `subject` is no pointer into an item; write one such as /subject"},
        {
            "definition-is-no-digest",
            ":6: `definition` must be `sha256:` and 64 lower-case hex digits; `sluice init` writes it"
        },
        {
            "instructions-are-no-digest",
            ":4: `instructions` must be `sha256:` and 64 lower-case hex digits; `sluice init` writes it"
        },
        {"field-unknown-key", ":9: `integrty` is no key of a field; did you mean `integrity`?"},
        {"vouched-is-no-pointer", ":8: `id` is no pointer into an item; write one such as /subject"},
        {"expression-syntax", ":8: `integrity` is no expression: mismatched input the end, at character 20"},
        {
            "expression-unknown-variable",
            ":8: `integrity` is no expression: undeclared reference to `itme`, at character 1; there are item, args, server, principal, inAudience, flat"
        },
        {
            "expression-unknown-function",
            ":8: `readers` is no expression: undeclared reference to `flatten`, at character 8; there are item, args, server, principal, inAudience, flat"
        },
        {
            "expression-unknown-audience",
            ":8: `integrity` asks about `clinc`, which is no audience of this policy; describe it under `audiences`"
        },
        {"expression-computed-audience", ":8: `integrity` must write the name of an audience out, such as 'clinic'"},
        {
            "expression-of-truth-for-integrity",
            ":8: `integrity` must give 'trusted' or 'untrusted', and gives bool; write `condition ? 'trusted' : 'untrusted'`"
        },
        {
            "expression-of-text-for-readers",
            ":8: `readers` must give a list of texts, and gives string; write such as `flat(item.from, item.to)`"
        },
        {
            "expression-of-numbers-for-classes",
            ":8: `classes` must give a list of texts, and gives list; write such as `flat(item.from, item.to)`"
        },
        {
            "expression-with-wrong-types",
            ":8: `integrity` is no expression: found no matching overload for `_>_` applied to `(string, int)`, at character 8"
        },
        {
            "expression-too-long",
            ":8: `integrity` is no expression: expression code point size exceeds limit: size: 4134, limit 4096"
        },
        {
            "expression-too-deep",
            ":8: `integrity` is no expression: expression recursion limit exceeded. limit: 64, at character 1"
        },
        {"rule-without-an-id", ":8: a rule needs an `id` of up to 64 lower-case letters, digits and `-`"},
        {"rule-id-with-capitals", ":8: a rule needs an `id` of up to 64 lower-case letters, digits and `-`"},
        {"rule-id-of-a-control", ":8: a rule or control `permitted-flow` is there already; give this one another id"},
        {"rule-id-twice", ":9: a rule or control `a` is there already; give this one another id"},
        {"rule-then-missing", ":8: a rule must say `then: deny` or `then: ask`"},
        {"rule-then-unknown", ":8: `then` can't be `allow`; write one of deny, ask"},
        {"rule-unknown-key", ":8: `if` is no key of a rule; did you mean `id`?"},
        {"rule-on-unknown-server", ":9: `male` is no server of this policy; describe it under `servers`"},
        {
            "rule-on-unknown-tool",
            ":9: no server of this rule describes a tool `sned`; write it under its server's `tools`"
        },
        {
            "rule-on-effects-the-tool-has-not",
            ":9: `send` has none of these `effects`, so the rule never speaks about it; take one of both out"
        },
        {"rule-on-nothing", ":9: `servers` names none, so the rule is about no call; take it out"},
        {"rule-on-unknown-key", ":9: `server` is no key of `on`; did you mean `servers`?"},
        {
            "rule-when-of-a-text",
            ":9: `when` must give true or false, and gives string; compare it, such as with `== true`"
        },
        {
            "rule-when-of-anything",
            ":9: `when` must give true or false, and gives dyn; compare it, such as with `== true`"
        },
        {"rule-when-unknown-member", ":9: `when` is no expression: undefined field `clases`, at character 11"},
        {
            "rule-when-unknown-audience",
            ":9: `when` asks about `clinc`, which is no audience of this policy; describe it under `audiences`"
        },
        {
            "rule-when-about-items",
            ":9: `when` is no expression: undeclared reference to `item`, at character 1; there are call, inAudience, flat"
        },
        {"sequence-without-an-id", ":11: a sequence needs an `id` of up to 64 lower-case letters, digits and `-`"},
        {"sequence-id-of-a-control", ":11: a rule or control `rule` is there already; give this one another id"},
        {"sequence-id-of-a-rule", ":11: a rule or control `a` is there already; give this one another id"},
        {"sequence-without-steps", ":11: a sequence needs `steps`, the last of which is the call that is decided"},
        {
            "sequence-step-of-an-unknown-tool",
            ":13: no server of this step describes a tool `sned`; write it under its server's `tools`"
        },
        {"sequence-step-of-an-unknown-server", ":13: `male` is no server of this policy; describe it under `servers`"},
        {
            "sequence-step-that-never-matches",
            ":13: `send` has none of these `effects`, so the step never speaks about it; take one of both out"
        },
        {"sequence-step-about-nothing", ":13: `tools` names none, so the step is about no call; take it out"},
        {"sequence-step-unknown-key", ":13: `time` is no key of a step; did you mean `times`?"},
        {"sequence-times-zero", ":13: `times` can't be `0`; write a whole number from 1 to 10000"},
        {
            "sequence-last-step-with-an-answer",
            ":13: the last step is the call that is decided, before there is an answer; take its `answer` out"
        },
        {
            "sequence-answer-about-the-call",
            ":14: `answer` is no expression: undeclared reference to `call`, at character 1; there are answer, inAudience, flat"
        },
        {
            "sequence-unless-with-one-step",
            ":13: `unless` takes a session back to the first step, and there is no other; write `until`, which ends the sequence"
        },
        {
            "sequence-unless-is-a-step",
            ":13: `unless` is also one of the steps, so the sequence never gets beyond it; take one of both out"
        },
        {"sequence-until-counted", ":13: `times` is no key of `unless` and `until`; these are: answer, on, when"},
        {"sequence-then-unknown", ":11: `then` can't be `allow`; write one of deny, ask"},
        {"url-and-command", ":5: a server has a `command` or a `url`; keep one"},
        {
            "url-not-encrypted",
            ":4: `http://notes.example/mcp` is not encrypted; write https, or, where everybody on the way may read and change what is said, `insecure: true`"
        },
        {
            "url-with-a-password",
            ":4: an address can't hold a user and password; take them out and write a header such as `Authorization: \"Bearer ${NOTES_TOKEN}\"` under `headers`"
        },
        {
            "url-of-a-file",
            ":4: `file:///srv/notes` is no address of a server; write one such as https://notes.example/mcp"
        },
        {
            "header-with-a-secret",
            ":6: the header `Authorization` looks like a secret, which must not stand in this file; put it into the environment and name the variable here, such as ${NOTES_TOKEN}"
        },
        {
            "header-with-a-long-secret",
            ":6: the header `X-Team` looks like a secret, which must not stand in this file; put it into the environment and name the variable here, such as ${NOTES_TOKEN}"
        },
        {
            "header-of-two-lines",
            ":6: the value of `X-Team` can't be sent in a header; write one line of ASCII, without spaces around it"
        },
        {"header-name-with-a-colon", ":6: `X-Team:?red?X` can't name a header; write one such as X-Api-Key"},
        {"header-of-the-protocol", ":6: the header `mcp-session-id` is sluice's to write; take it out"},
        {
            "header-twice",
            ":6: the header `X-Team` stands here twice; keep one",
            ":7: the header `x-team` stands here twice; keep one"
        },
        {
            "header-variable-without-a-name",
            ":6: `${` must be followed by the name of an environment variable and `}`, such as ${NOTES_TOKEN}"
        },
        {
            "header-with-the-approvers-secret",
            ":6: `${SLUICE_APPROVER_SECRET}` is a variable of sluice itself, which no server may get; name another"
        },
        {"headers-of-a-command", ":5: `headers` is for a `url`; add one, or take this out"},
        {"env-of-a-url", ":5: `env` is for a `command`; for a `url` write `headers`"},
        {
            "env-with-a-secret",
            ":5: the variable `NOTES_TOKEN` looks like a secret, which must not stand in this file; put it into the environment and name the variable here, such as ${NOTES_TOKEN}"
        },
        {"env-name-with-a-space", ":5: `NOTES?DIR` can't name an environment variable; write one such as NOTES_DIR"},
        {"idle-without-a-unit", ":5: `idle` can't be `600`; write a time such as 30s, 10m or 2h, 24h at most, or never"
        },
        {"era-unknown", ":5: `era` can't be `2026-07-28`; write one of auto, legacy, modern"},
        {"timeout-too-long", ":5: `timeout` can't be `25h`; write a time such as 30s, 10m or 2h, 24h at most"},
        {"readers-of-two-kinds", ":5: `readers` needs one of `static`, `command` and `url`, and has 2 of them"},
        {"readers-of-no-kind", ":5: `readers` needs one of `static`, `command` and `url`, and has 0 of them"},
        {
            "readers-url-not-encrypted",
            ":5: `http://readers.clinic.example/` can't be asked; write an https address, or http with 127.0.0.1 or [::1], without user and password"
        },
        {
            "readers-url-with-a-password",
            ":5: `https://a:b@readers.clinic.example/` can't be asked; write an https address, or http with 127.0.0.1 or [::1], without user and password"
        },
        {
            "readers-token-in-the-file",
            ":6: `token_env` names an environment variable, never the token itself; write such as READERS_TOKEN"
        },
        {"readers-token-without-a-url", ":6: `token_env` is for a `url`; add one, or take this out"},
        {"readers-within-too-long", ":6: `within` can't be `31s`; write a time such as 500ms, 2s or 1m, 30s at most"},
        {"readers-keep-without-a-unit", ":6: `keep` can't be `60`; write a time such as 500ms, 2s or 1m, 600s at most"},
        {
            "readers-static-of-nobody-can-have",
            ":5: `the clinic` is no single address or name; write one such as ana@clinic.example"
        },
        {"readers-static-twice", ":5: the resource `O/R` stands here twice; keep one"},
        {"readers-command-empty", ":5: `command` is empty; write the program to start"},
        {
            "readers-unknown-key",
            ":5: `comand` is no key of `readers`; did you mean `command`?",
            ":5: `readers` needs one of `static`, `command` and `url`, and has 0 of them"
        },
        {"grant-without-an-owner", ":7: a grant must name its `owner`, who answers for it"},
        {"grant-without-an-end", ":7: a grant must say `until` when it holds; write a date such as 2027-01-31"},
        {
            "grant-until-a-word",
            ":7: `until` can't be `forever`; write a date such as 2027-01-31, or an instant such as 2027-01-31T12:00:00Z"
        },
        {"grant-of-nothing", ":7: a grant must say what it grants: `endorse: true`, `declassify`, or both"},
        {"grant-without-a-server", ":7: a grant must say `on` which `servers` it holds"},
        {"grant-on-effects", ":7: a grant is about answers, which have no `effects`; take them out"},
        {
            "grant-on-an-unknown-tool",
            ":7: no server of this grant describes a tool `raed`; write it under its server's `tools`"
        },
        {"grant-declassifies-nothing", ":7: `declassify` takes nothing away; name `sources` or `classes`"},
        {"grant-declassifies-an-unknown-server", ":7: `note` is no server of this policy; describe it under `servers`"},
        {
            "grant-declassifies-half-a-source",
            ":7: a source names a `server` and a `resource`, or is the name of a server alone"
        },
        {"grant-unknown-key", ":7: `owners` is no key of a grant; did you mean `owner`?"},
        {"grant-id-twice", ":8: a rule or control `a` is there already; give this one another id"},
        {"rule-when-empty", ":9: `when` must be one expression"},
        {"hide-unknown", ":2: `hide` can't be `private`; write one of untrusted, nothing"},
        {"hide-of-a-tool-unknown", ":5: `hide` can't be `true`; write one of untrusted, nothing"},
        {"redact-without-when", ":7: a redaction must say `when`, such as `when: label.integrity == 'untrusted'`"},
        {"redact-without-an-id", ":7: a rule needs an `id` of up to 64 lower-case letters, digits and `-`"},
        {"redact-unknown-key", ":7: `then` is no key of a redaction; did you mean `when`?"},
        {"redact-id-twice", ":7: a rule or control `a` is there already; give this one another id"},
        {"redact-on-unknown-server", ":7: `male` is no server of this policy; describe it under `servers`"},
        {
            "redact-on-unknown-tool",
            ":7: no server of this rule describes a tool `raed`; write it under its server's `tools`"
        },
        {"redact-on-effects", ":7: `effects` is no key of `on` of a redaction; these are: servers, tools"},
        {
            "redact-when-of-a-text",
            ":7: `when` must give true or false, and gives string; compare it, such as with `== true`"
        },
        {"redact-when-unknown-member", ":7: `when` is no expression: undefined field `integrty`, at character 6"},
        {
            "redact-when-about-calls",
            ":7: `when` is no expression: undeclared reference to `call`, at character 1; there are label, server, tool, principal, inAudience, flat"
        },
        {"alias-bomb", ":3: the alias `*a` can't be used in a policy; write it out"},
        {"alias-of-itself", ":1: the alias `*a` can't be used in a policy; write it out"},
        {"alias", ":4: the alias `*mail` can't be used in a policy; write it out"},
        {"audience-empty", ":5: `audience` names nobody; write `server` where nobody but the server sees the data"},
        {
            "audience-entry-unknown-key",
            ":5: `persons` is no key of an entry of `audience`; did you mean `person`?",
            ":5: `audience` names nobody; write `server` where nobody but the server sees the data"
        },
        {
            "audience-person-with-display-name",
            ":5: `Ana <ana@clinic.example>` is no single address or name; write one such as ana@clinic.example"
        },
        {
            "audience-unknown-word",
            ":5: `audience` can't be `everybody`; write public, server, resource, or a list such as [to, cc]"
        },
        {
            "audience-without-sends",
            ":7: an `audience` is for a tool that sends; add `sends` to its `effects`, or take the audience out"
        },
        {"claims-part-unknown", ":4: `integrty` is no key of `claims`; did you mean `integrity`?"},
        {"claims-unknown", ":5: `integrity` can't be `all`; write one of raise, full"},
        {"command-holds-a-mapping", ":4: each entry of `command` must be one text"},
        {"control-character", ":2: the character U+0001 can't be in YAML; take it out"},
        {"duplicate-key", ":3: the key `mode` stands here twice; keep one"},
        {"duplicate-server", ":4: the key `mail` stands here twice; keep one"},
        {"effect-unknown", ":8: `effects` can't be `send`; write one of reads, writes, sends"},
        {"effects-empty", ":5: `effects` names none; write at least `reads`"},
        {"escape-cut-off", ":4: what follows is no YAML; look for an escape such as `\\u00e9` that is cut off"},
        {"evidence-files-relative", ":4: `records` is no absolute path; write one"},
        {"evidence-hours-zero", ":4: `hours` can't be `0`; write a whole number from 1 to 8784"},
        {
            "evidence-host-is-a-url",
            ":4: `https://records.clinic.example` is no host that records are fetched from; write a lower-case name such as records.clinic.example"
        },
        {
            "evidence-host-is-an-address",
            ":4: `127.0.0.1` is no host that records are fetched from; write a lower-case name such as records.clinic.example"
        },
        {"evidence-key-too-short", ":5: `main` is no Ed25519 key; write `ed25519:` and the base64 of its 32 bytes"},
        {"evidence-unknown-key", ":4: `key` is no key of `evidence`; did you mean `keys`?"},
        {"empty", ": the file is empty; begin with `version: 1`"},
        {"key-is-a-list", ":1: a key must be plain text"},
        {
            "known-unknown",
            ":4: no profile `server-mail` ships with sluice; these do: github-mcp-server, server-everything, server-filesystem, server-github, server-memory; or write `none`"
        },
        {"list", ":1: the policy must be a mapping of keys to values", ":1: the policy must say `version: 1`"},
        {
            "merge-key",
            ":4: `<<` is no key of a server; these are: claims, command, defaults, env, era, evidence, headers, hide, idle, informed, insecure, instructions, known, profile, readers, resolve, shared, timeout, tools, url"
        },
        {"mode-unknown", ":2: `mode` can't be `Enforce`; write one of audit, warn, enforce"},
        {"not-utf-8", ":2: this line is no UTF-8; save the file as UTF-8"},
        {"only-a-comment", ": the file is empty; begin with `version: 1`"},
        {"outcome-unknown", ":6: `outcome` can't be `harmless`; write one of benign, consequential, irreversible"},
        {"profile-of-a-server-unknown", ":4: `profile` can't be `lax`; write one of strict, balanced"},
        {"profile-of-a-tool-unknown", ":6: `profile` can't be `lax`; write one of strict, balanced"},
        {"profile-is-a-list", ":2: `profile` must be one word; write one of strict, balanced"},
        {"readers-are-a-mapping", ":5: each entry of `readers` must be one text"},
        {"readers-empty", ":5: `readers` names nobody; write `confidentiality: private` for data of the server alone"},
        {
            "readers-with-a-name-nobody-can-have",
            ":7: `the clinic` is no single address or name; write one such as ana@clinic.example"
        },
        {
            "readers-list-of-variables",
            ":5: `item.from` in a list is a name; write one expression, such as `flat(item.from, item.to)`, or pointers, such as [/from, /to]"
        },
        {"readers-with-public", ":6: what has `readers` can't be public; take one of both out"},
        {"review-is-a-word", ":5: `review` must be true or false"},
        {"server-is-a-list", ":3: `mail` must be a mapping of keys to values"},
        {
            "server-name-ends-with-underscore",
            ":3: `mail_` can't name a server; use up to 40 letters, digits, `-` and single `_` between them"
        },
        {
            "server-name-too-long",
            ":3: `abcdefghijabcdefghijabcdefghijabcdefghijk` can't name a server; use up to 40 letters, digits, `-` and single `_` between them"
        },
        {
            "server-name-with-a-space",
            ":3: `my mail` can't name a server; use up to 40 letters, digits, `-` and single `_` between them"
        },
        {
            "server-name-with-two-underscores",
            ":3: `a__b` can't name a server; use up to 40 letters, digits, `-` and single `_` between them"
        },
        {
            "several-problems",
            ":4: `claims` can't be `some`; write one of raise, full",
            ":7: `efects` is no key of a tool; did you mean `effects`?",
            ":8: `outcome` can't be `harmless`; write one of benign, consequential, irreversible",
            ":9: `mode` can't be `loud`; write one of audit, warn, enforce",
            ":10: `profil` is no key of a policy; did you mean `profile`?"
        },
        {"syntax-error", ":3: this is no YAML: expected ',' or '}', but got <scalar>"},
        {
            "tab-for-indent",
            ":3: this is no YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"
        },
        {"text", ":1: the policy must be a mapping of keys to values", ":1: the policy must say `version: 1`"},
        {"too-deep", ":2: a policy can be nested 32 levels deep at most"},
        {"two-documents", ":2: a second document begins here; a policy is one, so take it out"},
        {"unknown-key-with-a-near-one", ":6: `efects` is no key of a tool; did you mean `effects`?"},
        {
            "unknown-key-with-none-near",
            ":2: `sinks` is no key of a policy; these are: audiences, gateway, grants, hide, inside, mode, profile, redact, rules, sequences, servers, version, vocabularies"
        },
        {"unknown-key-cut-short", ":5: `return` is no key of a tool; did you mean `returns`?"},
        {
            "span-expression-in-defaults",
            ":5: `integrity` can't be `match == 'x' ? 'trusted' : 'untrusted'`; write one of trusted, untrusted"
        },
        {
            "span-expression-unknown-variable",
            ":9: `readers` is no expression: undeclared reference to `mtach`, at character 6; there are match, groups, item, args, server, principal, inAudience, flat"
        },
        {"span-group-of-none", ":9: `match` has no group; put `(` and `)` around what the span is, or take `group` out"
        },
        {"span-group-out-of-range", ":9: `group` must be the number of a group of `match`, 0 to 2"},
        {"span-is-a-text", ":9: a span must be a mapping, such as {match: '\\d{16}', classes: [card]}"},
        {
            "span-makes-public",
            ":9: a span makes nothing public, since whoever writes the text can write what matches; say it of the answer, an item or a field"
        },
        {
            "span-makes-trusted",
            ":9: a span makes nothing trusted, since whoever writes the text can write what matches; say it of the answer, an item or a field"
        },
        {
            "span-pattern-is-a-boundary",
            ":9: `match` also matches where nothing stands; write what must be there, such as `\\d+` in place of `\\d*`"
        },
        {
            "span-pattern-is-no-pattern",
            ":9: `match` is no pattern: missing closing ): `(\\d`; write it as RE2 has it, which knows no look-around and no back-references"
        },
        {
            "span-pattern-looks-around",
            ":9: `match` is no pattern: invalid or unsupported Perl syntax: `(?=`; write it as RE2 has it, which knows no look-around and no back-references"
        },
        {
            "span-pattern-matches-nothing",
            ":9: `match` also matches where nothing stands; write what must be there, such as `\\d+` in place of `\\d*`"
        },
        {"span-pattern-too-large", ":9: `match` is too large a pattern; repeat less, or write several spans"},
        {
            "span-says-nothing",
            ":9: a span says nothing of its text; write one of `integrity`, `confidentiality`, `readers`, `classes`"
        },
        {"span-unknown-key", ":9: `class` is no key of a span; did you mean `classes`?"},
        {"span-without-a-pattern", ":9: a span needs a `match`, a pattern such as '\\d{16}'"},
        {"spans-too-many", ":9: `spans` has more than 32 entries; join patterns with `|`"},
        {"user-named-unknown", ":5: `user_named` can't be `widen`; write one of keep, declassify"},
        {"version-missing", ":2: the policy must say `version: 1`"},
        {
            "vocabulary-class-with-two-meanings",
            ":3: the class `CHART` stands twice in `urn:clinic:classes`, with two meanings: keep one"
        },
        {
            "vocabulary-meaning-unknown",
            ":3: a vocabulary needs an `id` that records name, and `classes`, each `public` or `sensitive`",
            ":4: `chart` can't be `secret`; write one of public, sensitive"
        },
        {"vocabulary-twice", ":5: a vocabulary `urn:a` stands here already; give this one another id"},
        {
            "vocabulary-without-an-id",
            ":3: a vocabulary needs an `id` that records name, and `classes`, each `public` or `sensitive`"
        },
        {
            "gateway-unknown-key",
            ":3: `adress` is no key of `gateway`; these are: ask, auth, hosts, limits, listen, origins, sessions, telemetry, tls"
        },
        {
            "gateway-open-to-all",
            ":3: `0.0.0.0` is reached by others, so callers must say who they are; add `auth` with `tokens` or `oauth`, or listen on 127.0.0.1"
        },
        {
            "gateway-behind-a-proxy-open-to-all",
            ":3: what stands behind a proxy is reached by others, so callers must say who they are; add `auth` with `tokens` or `oauth`, or listen on 127.0.0.1"
        },
        {
            "gateway-without-tls",
            ":3: `10.0.0.7` is reached by others, who would send their tokens for all to read; add `tls`, or `behind_proxy: true` where a proxy of yours ends TLS"
        },
        {
            "gateway-host-is-a-url",
            ":3: `http://localhost` is nothing to listen on; write an address of this machine, such as 127.0.0.1 or 0.0.0.0"
        },
        {"gateway-port-too-high", ":3: `port` can't be `65536`; write a whole number from 0 to 65535"},
        {"gateway-tls-without-a-key", ":3: `tls` needs both a `certificate` and its `key`, as paths of PEM files"},
        {"gateway-tls-relative", ":3: `c.pem` is no absolute path; write one"},
        {
            "gateway-hosts-with-a-port",
            ":3: `gateway.clinic.example:443` is no host; write a lower-case name without a port, such as gateway.clinic.example"
        },
        {
            "gateway-origin-with-a-path",
            ":3: `https://app.clinic.example/` is no origin; write scheme, host and port as a browser does, such as https://app.clinic.example"
        },
        {"gateway-auth-of-nobody", ":3: `auth` lets nobody in; add `tokens` or `oauth`, or take it out"},
        {
            "gateway-token-in-the-file",
            ":3: `token_env` names an environment variable, never the token itself; write such as ALICE_TOKEN"
        },
        {
            "gateway-token-of-two-kinds",
            ":5: a token needs one of `token_env` and `sha256`; `sluice token` makes a token and its digest"
        },
        {
            "gateway-token-digest-short",
            ":3: `sha256` must be 64 lower-case hex digits; `sluice token` makes a token and its digest"
        },
        {
            "gateway-token-of-local",
            ":3: a token needs a `principal` of up to 64 letters, digits, `.`, `_`, `@` and `-`, other than `local`"
        },
        {
            "gateway-token-of-an-issuer",
            ":3: a token needs a `principal` of up to 64 letters, digits, `.`, `_`, `@` and `-`, other than `local`"
        },
        {"gateway-token-twice", ":5: the token of `bo` stands here twice; give each a token of their own"},
        {
            "gateway-oauth-without-a-resource",
            ":4: `oauth` needs the `resource` that access tokens are for: this gateway's own https address, such as https://gateway.clinic.example/mcp"
        },
        {"gateway-oauth-without-issuers", ":4: `oauth` needs `issuers`, whose access tokens count"},
        {
            "gateway-oauth-resource-not-encrypted",
            ":4: `oauth` needs the `resource` that access tokens are for: this gateway's own https address, such as https://gateway.clinic.example/mcp"
        },
        {
            "gateway-oauth-symmetric-algorithm",
            ":4: the algorithm `HS256` can't be allowed; write some of ES256, ES384, ES512, PS256, PS384, PS512, RS256, RS384, RS512"
        },
        {
            "gateway-oauth-algorithm-none",
            ":4: the algorithm `none` can't be allowed; write some of ES256, ES384, ES512, PS256, PS384, PS512, RS256, RS384, RS512"
        },
        {
            "gateway-oauth-jwks-not-encrypted",
            ":4: an issuer needs `jwks`, where its keys are: an https address or the absolute path of a file"
        },
        {"gateway-oauth-issuer-twice", ":8: the issuer `https://l.example` stands here twice; keep one"},
        {
            "gateway-oauth-issuer-with-a-fragment",
            ":4: an issuer needs `issuer`, the https address that it names as `iss`"
        },
        {"gateway-oauth-skew-too-long", ":4: `skew` can't be `1h`; write a time such as 500ms, 2s or 1m, 120s at most"},
        {"telemetry-logs-of-another-kind", ":3: `logs` can't be `xml`; write one of json, text"},
        {"telemetry-unknown-key", ":3: `metric` is no key of `telemetry`; did you mean `metrics`?"},
        {
            "telemetry-metrics-for-nobody",
            ":3: `metrics` needs `principals`, who may read them; write `metrics: true` for whoever is let in"
        },
        {"telemetry-metrics-of-a-word", ":3: `metrics` must be true or false"},
        {
            "telemetry-traces-to-a-file",
            ":3: `traces` needs `otlp`, the http or https address of a collector without user and query, such as http://127.0.0.1:4318; its headers come from OTEL_EXPORTER_OTLP_HEADERS"
        },
        {
            "telemetry-traces-with-a-password",
            ":3: `traces` needs `otlp`, the http or https address of a collector without user and query, such as http://127.0.0.1:4318; its headers come from OTEL_EXPORTER_OTLP_HEADERS"
        },
        {
            "telemetry-traces-without-a-collector",
            ":3: `traces` needs `otlp`, the http or https address of a collector without user and query, such as http://127.0.0.1:4318; its headers come from OTEL_EXPORTER_OTLP_HEADERS"
        },
        {"gateway-limit-zero", ":3: `sessions` can't be `0`; write a whole number from 1 to 1000000"},
        {"gateway-limit-of-a-word", ":3: `message_bytes` can't be `16MiB`; write a whole number from 1024 to 1073741824"
        },
        {"gateway-limit-unknown", ":3: `session` is no key of `limits`; did you mean `sessions`?"},
        {
            "gateway-idle-without-a-unit",
            ":3: `idle` can't be `60`; write a time such as 500ms, 2s or 1m, 31622400s at most"
        },
        {
            "gateway-session-key-of-nothing",
            ":5: a session key needs one of `meta`, a key of `_meta`, and `header`; write such as {meta: openai/session}"
        },
        {
            "gateway-session-key-of-two-places",
            ":5: a session key needs one of `meta`, a key of `_meta`, and `header`; write such as {meta: openai/session}"
        },
        {"gateway-session-key-new-dirty", ":5: `new` can't be `dirty`; write joined or clean"},
        {"gateway-session-key-unknown-key", ":5: `neu` is no key of a session key; did you mean `new`?"},
        {"gateway-session-key-is-no-key", ":5: `openai session` is no key of `_meta`; write such as openai/session"},
        {"gateway-session-key-is-no-header", ":5: `x:openai` is no name of a header; write such as x-openai-session"},
        {
            "gateway-session-key-of-each-request",
            ":5: `traceparent` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {
            "gateway-session-key-of-the-protocol",
            ":5: `io.modelcontextprotocol/clientInfo` says nothing of a conversation, or is a secret; write what the"
                    + " host sends alike with each request of one conversation"
        },
        {
            "gateway-session-key-is-the-token",
            ":5: `authorization` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {
            "gateway-session-key-of-each-tool-call",
            ":5: `claudecode/toolUseId` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {
            "gateway-session-key-is-a-cookie",
            ":5: `cookie` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {
            "gateway-session-key-is-the-token-of-a-proxy",
            ":5: `proxy-authorization` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {
            "gateway-session-key-of-a-program",
            ":5: `user-agent` says nothing of a conversation, or is a secret; write what the host sends alike with"
                    + " each request of one conversation"
        },
        {"gateway-session-key-twice", ":6: `x-openai-session` stands in `keys` twice; keep one"},
        {"gateway-session-keys-too-many", ":5: `keys` has more than 16 entries; keep fewer"},
        {
            "gateway-ask-wait-without-a-unit",
            ":3: `wait` can't be `20`; write a time such as 500ms, 2s or 1m, 600s at most"
        },
        {
            "gateway-approver-of-anybody",
            ":3: an approver needs a `principal`, a `client` or both; else anybody would be one"
        },
        {"wrong-version", ":2: the policy must say `version: 1`"},
    };

    static Stream<List<String>> samples() {
        return Arrays.stream(SAMPLES).map(List::of);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void fault_isToldWithFileLineAndMend(List<String> sample) {
        Path file = GoldenCase.resource("bad").resolve(sample.get(0) + ".yaml");

        PolicyException fault = assertThrows(PolicyException.class, () -> PolicyParser.read(file));

        List<String> expected = sample.stream().skip(1).map(rest -> file + rest).toList();
        assertEquals(String.join("\n", expected), fault.getMessage());
    }

    @Test
    void samples_areAllNamedHere() throws IOException {
        List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(GoldenCase.resource("bad"))) {
            all.forEach(file -> files.add(file.getFileName().toString().replace(".yaml", "")));
        }
        assertEquals(
                samples().map(sample -> sample.get(0)).sorted().toList(),
                files.stream().sorted().toList());
    }

    @Test
    void fileOverTheLimit_isNotRead(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("large.yaml");
        Files.writeString(file, "version: 1\n#" + "x".repeat(4 << 20));

        assertEquals(file + ": a policy file can have 4 MiB at most", message(file));
    }

    @Test
    void fileThatIsNotThere_isToldWithItsName(@TempDir Path folder) {
        Path file = folder.resolve("none.yaml");

        assertEquals(file + ": the policy can't be read; name a readable file", message(file));
        assertEquals(folder + ": the policy can't be read; name a readable file", message(folder));
    }

    @Test
    void controlCharacterFarIntoTheFile_isToldWithItsLine() {
        String text = "version: 1\n" + "# \ud83d\ude00 filler\n".repeat(900) + "mode: a\u0007\n";

        PolicyException fault = assertThrows(PolicyException.class, () -> PolicyParser.parse("p.yaml", text));

        assertEquals("p.yaml:902: the character U+0007 can't be in YAML; take it out", fault.getMessage());
    }

    @Test
    void utf8CutShort_isToldWithItsLine(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cut.yaml");
        byte[] text = "version: 1\nmode: \u00e9".getBytes(StandardCharsets.UTF_8);
        Files.write(file, Arrays.copyOf(text, text.length - 1));

        assertEquals(file + ":2: this line is no UTF-8; save the file as UTF-8", message(file));
    }

    @Test
    void nestingWithoutEnd_isAProblemAndNoCrash() {
        PolicyException fault =
                assertThrows(PolicyException.class, () -> PolicyParser.parse("p.yaml", "[".repeat(1_000_000)));

        assertEquals("p.yaml:1: a policy can be nested 32 levels deep at most", fault.getMessage());
    }

    private static String message(Path file) {
        return String.valueOf(assertThrows(PolicyException.class, () -> PolicyParser.read(file))
                .getMessage());
    }
}
