package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each kind of fault that users of other gateways reported has tests, wherever they are at home; here is where. */
class FieldReportsIndexTest {

    private static final Map<String, List<String>> TESTS = Map.ofEntries(
            Map.entry(
                    "two servers have tools of one name",
                    List.of(
                            "FieldReportsTest#nameCollision_bothServersAreCalled_andRulesDoNotCross",
                            "FieldReportsTest#nameCollision_withoutRules_eachAnswersItself",
                            "FieldReportsTest#sameUriAtTwoServers_isListedOnce_andReadFromTheFirst")),
            Map.entry(
                    "lists lose what the proxy does not know",
                    List.of(
                            "FieldReportsTest#toolsList_keepsAnnotationsMetaAndOutputSchema_byteForByte",
                            "RandomTrafficTest#inProcess_nothingChangesButTheLabel")),
            Map.entry(
                    "notifications are dropped",
                    List.of(
                            "FieldReportsTest#listChangedProgressAndLog_duringACall_arriveInOrder",
                            "FieldReportsTest#progressOfTheClient_goesOnlyToTheServerThatAsked")),
            Map.entry(
                    "a question hangs, or is dropped on one path",
                    List.of(
                            "FieldReportsTest#elicitation_isNotBuffered_onAnyPath",
                            "HttpGatewayTest#serversRequest_comesWhileItsCallIsOpen_andIsAnsweredByAnotherPost")),
            Map.entry(
                    "a cancellation goes to the wrong server",
                    List.of(
                            "FieldReportsTest#cancel_goesToTheServerThatHasTheCall_underItsId",
                            "FieldReportsTest#cancel_ofACallThatHasAnotherIdAtTheServer_isToldUnderThatOne")),
            Map.entry(
                    "sessions are gone after a restart",
                    List.of(
                            "FieldReportsTest#sessions404AfterRestart_everySessionIsThereAgain",
                            "HttpGatewayTest#killedAndStartedAgain_sameSessionId_isStillDenied")),
            Map.entry(
                    "two users share a session of the server",
                    List.of(
                            "GatewayAuthTest#sessionPoolOfTwoUsers_isNoPool",
                            "LinesTest#sharedServer_hasOneLine_onWhichNoSessionGetsWhatIsAnothers")),
            Map.entry(
                    "a batch goes around policy and record",
                    List.of(
                            "HostileServerTest#batch_isRefusedWhole",
                            "HostileStdioTest#lineOfAClient_isRefusedWithTheReason")),
            Map.entry(
                    "a key twice is read in two ways",
                    List.of(
                            "HostileServerTest#duplicateKeys_areRefused",
                            "HostileStdioTest#answerThatCannotBeRead_isAToolError",
                            "BadPoliciesTest#duplicate-key")),
            Map.entry(
                    "integers above 2^53 are rounded",
                    List.of(
                            "ReportedFaultsTest#integerThatNoDoubleHolds_isTheSameOnTheOtherSide",
                            "ApprovalsTest#otherNumber_isAskedAnew_howeverNear",
                            "HostileHttpTest#id_comesBackByteForByte")),
            Map.entry(
                    "structured content is not looked at",
                    List.of(
                            "RedactionTest#itemOfAStructuredAnswer_isTakenOut_andSoIsItsMirror",
                            "SpansTest#redact_takesOnlyTheSpan_onEveryProjection",
                            "ReportedFaultsTest#everyShapeOfTheSameData_hasItsLabel")),
            Map.entry(
                    "a denial looks like an outage",
                    List.of("ReportedFaultsTest#denial_isAToolErrorThatAModelCanRead_andNoProtocolError")),
            Map.entry(
                    "what is left of structured content breaks its schema",
                    List.of(
                            "RedactionTest#leftOverThatFitsTheSchema_isPassedOn",
                            "RedactionTest#leftOverThatDoesNotFit_isAnErrorThatSaysWhy",
                            "SpansTest#whatNoLongerFitsTheSchema_isAnErrorWithCountAndReason")),
            Map.entry(
                    "a hint of the server skips approval",
                    List.of("ReportedFaultsTest#readOnlyHintOfAServer_skipsNoApproval")),
            Map.entry(
                    "results and calls label themselves",
                    List.of(
                            "ReportedFaultsTest#resultThatLabelsItselfTrusted_isNotBelieved",
                            "ReportedFaultsTest#callThatGrantsItselfWhatItMayNot_isDenied",
                            "HostileServerTest#trustedClaim_withoutTheOperatorsWord_isIgnoredAndRecorded")),
            Map.entry(
                    "an argument of the model's takes a label away",
                    List.of("ReportedFaultsTest#argumentThatAModelWrites_takesNoLabelAway")),
            Map.entry(
                    "an approval counts for another call",
                    List.of(
                            "ApprovalsTest#approved_isReleasedOnce",
                            "ApprovalsTest#otherCall_isAskedAnew",
                            "ApprovalsTest#otherPolicy_isAskedAnew",
                            "ApprovalsTest#afterItsEnd_isAskedAnew",
                            "GatewayAuthTest#approvalOfOnePrincipalsCall_isNoneOfAnothers")),
            Map.entry(
                    "approval is set and nothing waits, or nobody sees for what",
                    List.of(
                            "ApprovalsTest#asked_isDeniedAndWaits_andAskedAgainIsTheSameQuestion",
                            "ApprovalsCommandTest#shown_holdsWhatWouldHappen_andNothingThatCouldBeForged")),
            Map.entry(
                    "one shape of the same data has no label, or an unknown tool has none",
                    List.of(
                            "ReportedFaultsTest#everyShapeOfTheSameData_hasItsLabel",
                            "ReportedFaultsTest#whatAServerSaysByItself_hasItsLabel",
                            "HostileServerTest#unknownTool_hasTheStrictDefault_andIsDeniedAfterARead")),
            Map.entry(
                    "a definition changes after it was approved, or comes under another name",
                    List.of(
                            "PinsTest#changedDefinition_isWithheldDeniedAndRecorded",
                            "ReportedFaultsTest#toolThatComesBackUnderAnotherName_isAToolOfItsOwn")),
            Map.entry(
                    "names hold signs that nobody sees",
                    List.of(
                            "ReportedFaultsTest#nameThatLooksLikeAnother_isAToolOfItsOwn_andIsShownInPlainSigns",
                            "ToolNamesTest#nameThatOnlyLooksLikeIt_isATool_thatNobodyStated",
                            "AuditRecordsTest#hostileNames_speakInNoSentenceAndNoRecord",
                            "ApprovalsCommandTest#nameOfATool_endsNoSentence")),
            Map.entry(
                    "tokens and session ids are logged",
                    List.of(
                            "GatewayAuthTest#tokens_standInNoLogAndNoState_andNoServerGetsThem",
                            "HttpGatewayTest#sessionIds_areNeverKeptNorLogged")),
            Map.entry(
                    "the host is not checked where there is no origin",
                    List.of("HttpGatewayTest#foreignHost_isRefused")),
            Map.entry(
                    "children are left over",
                    List.of(
                            "LinesTest#manySessionsOneAfterTheOther_leaveNoChild",
                            "HttpGatewayTest#stopped_leavesNoChild")),
            Map.entry(
                    "a rule that can never match is accepted",
                    List.of(
                            "BadPoliciesTest#rule-on-unknown-tool",
                            "BadPoliciesTest#rule-on-effects-the-tool-has-not",
                            "BadPoliciesTest#sequence-step-that-never-matches")));

    /** A test is a method, or a case that its class names. */
    @Test
    void everyKind_hasTestsThatExist() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> files = Files.walk(Path.of("..").toRealPath())) {
            for (Path file : files.filter(each -> each.toString().contains("/src/test/java/")
                            && each.toString().endsWith("Test.java"))
                    .toList()) {
                sources.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        Set<String> missing = new TreeSet<>();
        TESTS.forEach((kind, tests) -> {
            assertTrue(!tests.isEmpty(), kind);
            for (String test : tests) {
                String[] names = test.split("#", 2);
                String source = sources.getOrDefault(names[0] + ".java", "");
                if (!source.contains("void " + names[1] + "(") && !source.contains("\"" + names[1] + "\"")) {
                    missing.add(kind + ": " + test);
                }
            }
        });
        assertEquals(Set.of(), missing);
        assertEquals(25, TESTS.size(), "the kinds that were reported");
    }
}
