package dev.sluice.examples.healthcare;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;

import dev.sluice.mcpjava.emit.Action;
import dev.sluice.mcpjava.emit.Carried;
import dev.sluice.mcpjava.emit.EvidenceRecord;
import dev.sluice.mcpjava.emit.LabelledTools;
import dev.sluice.mcpjava.emit.Labels;
import dev.sluice.mcpjava.emit.Returns;
import dev.sluice.wire.Claim;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity.Kind;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.List;
import java.util.Map;

/** The clinic's eight tools: each says what it does, and each result what it holds. */
final class ClinicTools {

    /** What says that data is of patients. */
    static final EvidenceRecord PATIENT_DATA =
            dataClass("confidential", "HIPAA").labels("example.clinic.phi");

    private final Patients patients;

    ClinicTools(Patients patients) {
        this.patients = patients;
    }

    /** Returns the tools with their handlers. */
    List<SyncToolSpecification> all() {
        return LabelledTools.annotated(
                this,
                tool("health_check", "Says whether the clinic's systems run.", true, false),
                tool("patient_lookup", "Reads one patient's record.", true, false, "patient_id"),
                tool("search_patients", "Finds the records that hold a word.", true, false, "word"),
                tool("update_patient_record", "Writes a note into a record.", false, true, "patient_id", "note"),
                tool("staff_directory", "Lists who works here.", true, false),
                tool("process_insurance_claim", "Hands a claim in.", false, false, "patient_id", "details"),
                tool("rotate_api_key", "Makes a new key for the interfaces and returns it.", false, false),
                tool("send_notification", "Sends a message to anybody.", false, true, "to", "text"));
    }

    private static Tool tool(String name, String description, boolean reads, boolean destroys, String... arguments) {
        boolean anybody = name.equals("send_notification");
        return Tool.builder(name, Replies.schema(arguments))
                .description(description)
                .annotations(ToolAnnotations.builder()
                        .readOnlyHint(reads)
                        .destructiveHint(destroys)
                        .openWorldHint(anybody)
                        .build())
                // SEP-1913's word that a tool may meet an attack. Clients must not take it for one.
                .meta(anybody ? Map.of("annotations", Map.of("maliciousActivityHint", true)) : Map.of())
                .build();
    }

    @Action(tool = "health_check", destination = Destination.EPHEMERAL, accepts = Kind.NONE, outcome = Outcome.BENIGN)
    @Returns(source = DataSource.SYSTEM, sensitivity = Kind.NONE)
    CallToolResult healthCheck(CallToolRequest request) {
        return Replies.harmless(Map.of("status", "all systems run"));
    }

    @Action(tool = "patient_lookup", destination = Destination.EPHEMERAL, accepts = Kind.NONE, outcome = Outcome.BENIGN)
    @Returns(
            source = DataSource.INTERNAL,
            sensitivity = {},
            regulated = "HIPAA")
    CallToolResult patientLookup(CallToolRequest request) {
        String id = Replies.argument(request, "patient_id");
        return patients.find(id).map(ClinicTools::ofPatients).orElseGet(() -> noRecord(id));
    }

    @Action(
            tool = "search_patients",
            destination = Destination.EPHEMERAL,
            accepts = Kind.NONE,
            outcome = Outcome.BENIGN)
    @Returns(
            source = DataSource.INTERNAL,
            sensitivity = {},
            regulated = "HIPAA")
    CallToolResult searchPatients(CallToolRequest request) {
        // That nobody was found says something of patients too.
        return ofPatients(Map.of("patients", patients.holding(Replies.argument(request, "word"))));
    }

    @Action(
            tool = "update_patient_record",
            destination = Destination.INTERNAL,
            accepts = {},
            acceptsRegulated = "HIPAA",
            outcome = Outcome.CONSEQUENTIAL)
    @Returns(source = DataSource.SYSTEM, sensitivity = Kind.NONE)
    CallToolResult updatePatientRecord(CallToolRequest request) {
        String id = Replies.argument(request, "patient_id");
        return patients.note(id, Replies.argument(request, "note"))
                ? Replies.harmless(Map.of("status", "saved"))
                : noRecord(id);
    }

    @Action(
            tool = "staff_directory",
            destination = Destination.EPHEMERAL,
            accepts = Kind.NONE,
            outcome = Outcome.BENIGN)
    @Returns(source = DataSource.INTERNAL, sensitivity = Kind.PII)
    CallToolResult staffDirectory(CallToolRequest request) {
        return Labels.of(Replies.json(Map.of("staff", patients.staff())))
                .sensitive()
                .trusted()
                .evidence(dataClass("pii"))
                .build();
    }

    @Action(
            tool = "process_insurance_claim",
            destination = Destination.INTERNAL,
            accepts = Kind.FINANCIAL,
            acceptsRegulated = "HIPAA",
            outcome = Outcome.CONSEQUENTIAL)
    @Returns(source = DataSource.INTERNAL, sensitivity = Kind.FINANCIAL)
    CallToolResult processInsuranceClaim(CallToolRequest request) {
        return Labels.of(Replies.json(Map.of("claim", "C-2041", "status", "handed in")))
                .sensitive()
                .trusted()
                .evidence(dataClass("financial"))
                .build();
    }

    @Action(
            tool = "rotate_api_key",
            destination = Destination.SYSTEM,
            accepts = Kind.NONE,
            outcome = Outcome.CONSEQUENTIAL)
    @Returns(source = DataSource.SYSTEM, sensitivity = Kind.CREDENTIALS)
    CallToolResult rotateApiKey(CallToolRequest request) {
        return Labels.of(Replies.json(Map.of("key", "ck-7f2b9e40d1a8c635")))
                .sensitive()
                .trusted()
                .evidence(dataClass("credentials"))
                .build();
    }

    @Action(
            tool = "send_notification",
            destination = Destination.PUBLIC,
            accepts = Kind.NONE,
            outcome = Outcome.IRREVERSIBLE)
    @Returns(source = DataSource.SYSTEM, sensitivity = Kind.NONE)
    CallToolResult sendNotification(CallToolRequest request) {
        // The second line of defence: a client that tells what it has seen is refused by the server itself.
        if (Carried.from(request).sensitive() == Claim.TRUE) {
            return Replies.refused("the context of this call holds private data, and a notification can reach anybody: "
                    + "nothing was sent");
        }
        return Replies.harmless(Map.of("status", "sent"));
    }

    private static CallToolResult ofPatients(Map<String, Object> content) {
        return Labels.of(Replies.json(content))
                .sensitive()
                .trusted()
                .evidence(PATIENT_DATA)
                .build();
    }

    private static CallToolResult noRecord(String id) {
        return Replies.refused("there is no record `" + id + "`: call search_patients for the ids");
    }
}
