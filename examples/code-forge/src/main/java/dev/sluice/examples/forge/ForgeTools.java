package dev.sluice.examples.forge;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;

import dev.sluice.examples.forge.Family.Classified;
import dev.sluice.examples.forge.Fixture.Hit;
import dev.sluice.examples.forge.Fixture.Visibility;
import dev.sluice.mcpjava.emit.Declaration;
import dev.sluice.mcpjava.emit.LabelledTools;
import dev.sluice.mcpjava.emit.Labels;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity.Kind;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The forge's tools, named as those of github-mcp-server. */
final class ForgeTools {

    private static final Declaration READS = Declaration.builder()
            .destination(Destination.EPHEMERAL)
            .accepts(Kind.NONE)
            .outcome(Outcome.BENIGN)
            .source(DataSource.INTERNAL, DataSource.UNTRUSTED_PUBLIC)
            .returns(Kind.NONE, Kind.USER, Kind.PII, Kind.CREDENTIALS)
            .build();

    /** What is posted is seen by whoever can see the place: the definition can't say which, a call's arguments do. */
    private static final Declaration POSTS = Declaration.builder()
            .destination(Destination.INTERNAL, Destination.PUBLIC)
            .accepts(Kind.NONE, Kind.USER, Kind.PII)
            .outcome(Outcome.CONSEQUENTIAL)
            .source(DataSource.SYSTEM)
            .returns(Kind.NONE)
            .build();

    private final Fixture fixture;
    private final boolean ifcLabels;

    /**
     * Makes the tools.
     *
     * @param ifcLabels whether results have the bare {@code _meta.ifc} of github-mcp-server too
     */
    ForgeTools(Fixture fixture, boolean ifcLabels) {
        this.fixture = fixture;
        this.ifcLabels = ifcLabels;
    }

    /** What an answer holds, and what decides on its label. */
    private record Found(JsonNode data, Collection<Visibility> places, boolean unpublished) {}

    /** Returns the tools with their handlers. */
    List<SyncToolSpecification> all() {
        List<SyncToolSpecification> tools = new ArrayList<>();
        ofRepository(tools, Family.CONTENT, "issues", "list_issues", "issue_read", "find_duplicate");
        ofRepository(tools, Family.CONTENT, "pulls", "list_pull_requests", "pull_request_read");
        ofRepository(
                tools, Family.CONTENT, "discussions", "list_discussions", "get_discussion", "get_discussion_comments");
        ofRepository(tools, Family.CONTENT, "files", "get_file_contents", "get_repository_tree");
        ofRepository(tools, Family.CONTENT, "commits", "get_commit", "list_commits");
        ofRepository(tools, Family.MAINTAINED, "branches", "list_branches");
        ofRepository(tools, Family.MAINTAINED, "tags", "list_tags", "get_tag");
        ofRepository(tools, Family.MAINTAINED, "labels", "get_label", "list_label");
        ofRepository(tools, Family.MAINTAINED, "discussionCategories", "list_discussion_categories");
        ofRepositoryOrOrganisation(tools, "issueTypes", "list_issue_types");
        ofRepositoryOrOrganisation(tools, "issueFields", "list_issue_fields");
        ofRepository(tools, Family.RELEASES, "releases", "list_releases", "get_latest_release", "get_release_by_tag");
        ofRepository(tools, Family.ROSTER, "collaborators", "list_repository_collaborators");
        ofForge(tools, Family.ROSTER, "me", "get_me");
        ofForge(tools, Family.ROSTER, "teams", "get_teams");
        ofForge(tools, Family.ROSTER, "teamMembers", "get_team_members");
        ofRepository(tools, Family.RUNS, "runs", "actions_list", "actions_get", "get_job_logs");
        ofRepository(tools, Family.ALERTS, "codeScanning", "list_code_scanning_alerts", "get_code_scanning_alert");
        ofRepository(tools, Family.ALERTS, "dependabot", "list_dependabot_alerts", "get_dependabot_alert");
        ofRepository(
                tools, Family.ALERTS, "secretScanning", "list_secret_scanning_alerts", "get_secret_scanning_alert");
        ofRepository(tools, Family.ADVISORIES, "advisories", "list_repository_security_advisories");
        ofForge(tools, Family.ALERTS, "orgAdvisories", "list_org_repository_security_advisories");
        ofForge(
                tools,
                Family.WORLD,
                "globalAdvisories",
                "list_global_security_advisories",
                "get_global_security_advisory");
        ofForge(tools, Family.WORLD, "gists", "list_gists");
        ofForge(tools, Family.WORLD, "secretGists", "get_gist");
        ofForge(tools, Family.WORLD, "users", "search_users");
        ofForge(tools, Family.WORLD, "organisations", "search_orgs");
        ofForge(tools, Family.ALERTS, "notifications", "get_notification_details");
        ofProject(tools, Family.PROJECT, "", "get_project");
        ofProject(tools, Family.PROJECT, "fields", "list_project_fields");
        ofProject(tools, Family.PROJECT_CONTENT, "items", "list_project_items");
        ofProject(tools, Family.PROJECT_CONTENT, "updates", "list_project_status_updates");
        ofProject(tools, Family.PROJECT_CONTENT, "views", "list_project_views");
        search(tools, "issues", "search_issues");
        search(tools, "pulls", "search_pull_requests");
        search(tools, "", "search_repositories");
        search(tools, "files", "search_code");
        search(tools, "commits", "search_commits");
        starred(tools);
        projects(tools);
        ofRepository(tools, Family.UNLABELLED, "files", "get_file_blame");
        ofRepository(tools, Family.UNLABELLED, "issues", "issue_dependency_read");
        ofRepository(tools, Family.UNLABELLED, "codeScanning", "get_code_quality_finding");
        ofForge(tools, Family.UNLABELLED, "notifications", "list_notifications");
        ofForge(tools, Family.UNLABELLED, "me", "ui_get");
        tools.add(posting(
                "add_issue_comment", "Comments on an issue.", this::comment, "owner", "repo", "issue_number", "body"));
        tools.add(posting("send_note", "Sends a note to one account.", this::note, "to", "text"));
        return tools;
    }

    private void ofRepository(List<SyncToolSpecification> tools, Family family, String section, String... names) {
        for (String name : names) {
            tools.add(reading(
                    name, family, request -> repository(request).map(each -> of(each, section)), "owner", "repo"));
        }
    }

    /** With {@code repo} it is about that repository, else about the whole organisation. */
    private void ofRepositoryOrOrganisation(List<SyncToolSpecification> tools, String section, String name) {
        SyncToolSpecification ofRepository = reading(
                name,
                Family.MAINTAINED,
                request -> repository(request).map(each -> of(each, section)),
                "owner",
                "repo");
        SyncToolSpecification ofOrganisation = reading(
                name,
                Family.ORGANISATION,
                request -> Optional.of(new Found(fixture.ofForge(section), List.of(), false)),
                "owner");
        tools.add(new SyncToolSpecification(
                ofOrganisation.tool(),
                (exchange, request) -> (argument(request, "repo").isEmpty() ? ofOrganisation : ofRepository)
                        .callHandler()
                        .apply(exchange, request)));
    }

    private void ofForge(List<SyncToolSpecification> tools, Family family, String section, String... names) {
        for (String name : names) {
            tools.add(reading(name, family, request -> {
                JsonNode data = fixture.ofForge(section);
                return Optional.of(new Found(data, List.of(), anyOf(data, "secret", true)));
            }));
        }
    }

    private void ofProject(List<SyncToolSpecification> tools, Family family, String section, String name) {
        tools.add(reading(
                name,
                family,
                request -> fixture.project(number(request, "project_number"))
                        .map(each -> new Found(
                                section.isEmpty() ? each.path("title") : each.path(section),
                                List.of(Fixture.visibility(each)),
                                false)),
                "owner",
                "project_number"));
    }

    private void projects(List<SyncToolSpecification> tools) {
        tools.add(reading(
                "list_projects",
                Family.SEARCH,
                request -> {
                    List<Visibility> places = new ArrayList<>();
                    ArrayNode titles = JsonNodeFactory.instance.arrayNode();
                    for (JsonNode each : fixture.ofForge("projects")) {
                        if (each.toString().contains(argument(request, "query"))) {
                            places.add(Fixture.visibility(each));
                            titles.add(each.path("title").asString(""));
                        }
                    }
                    return Optional.of(new Found(titles, places, false));
                },
                "owner"));
    }

    private void search(List<SyncToolSpecification> tools, String section, String name) {
        tools.add(reading(
                name,
                Family.SEARCH,
                request -> Optional.of(found(fixture.search(section, argument(request, "query"))))));
    }

    private void starred(List<SyncToolSpecification> tools) {
        tools.add(reading("list_starred_repositories", Family.SEARCH, request -> {
            String names = fixture.ofForge("starred").toString();
            return Optional.of(found(fixture.search("", argument(request, "query")).stream()
                    .filter(hit -> names.contains("\"" + hit.repository() + "\""))
                    .toList()));
        }));
    }

    private static Found found(List<Hit> hits) {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        hits.forEach(
                hit -> items.addObject().put("repository", hit.repository()).set("item", hit.what()));
        return new Found(items, hits.stream().map(Hit::visibility).toList(), false);
    }

    private Optional<JsonNode> repository(CallToolRequest request) {
        return fixture.repository(argument(request, "owner") + "/" + argument(request, "repo"));
    }

    private static Found of(JsonNode repository, String section) {
        JsonNode data = repository.path(section);
        boolean unpublished = anyOf(data, "draft", true) || anyOf(data, "published", false);
        return new Found(data, List.of(Fixture.visibility(repository)), unpublished);
    }

    private static boolean anyOf(JsonNode data, String member, boolean value) {
        for (JsonNode each : data) {
            if (each.path(member).isBoolean() && each.path(member).asBoolean(!value) == value) {
                return true;
            }
        }
        return false;
    }

    private SyncToolSpecification reading(
            String name, Family family, Function<CallToolRequest, Optional<Found>> find, String... required) {
        Tool tool = Tool.builder(name, schema(required))
                .description("Reads from the forge.")
                .annotations(ToolAnnotations.builder().readOnlyHint(true).build())
                .build();
        return LabelledTools.declare(
                READS,
                new SyncToolSpecification(
                        tool,
                        (exchange, request) -> find.apply(request)
                                .map(found -> labelled(family, found))
                                .orElseGet(ForgeTools::nothingThere)));
    }

    private CallToolResult labelled(Family family, Found found) {
        Optional<Classified> theirs = family.classify(found.places(), found.unpublished());
        Classified ours = family.canonical(theirs, found.places(), found.unpublished());
        Map<String, Object> content = Map.of("items", JsonMapper.shared().convertValue(found.data(), Object.class));
        CallToolResult result = CallToolResult.builder()
                .addTextContent(JsonMapper.shared().writeValueAsString(content))
                .structuredContent(content)
                .meta(ifcLabels && theirs.isPresent() ? Map.of("ifc", bare(theirs.get())) : Map.of())
                .build();
        Labels<CallToolResult> label = Labels.of(result).fides();
        if (family == Family.ROSTER) {
            label = label.evidence(dataClass("pii"));
        }
        label = ours.isPrivate() ? label.sensitive() : label.notSensitive();
        return (ours.trusted() ? label.trusted() : label.untrusted()).build();
    }

    /** What github-mcp-server writes. */
    private static Map<String, Object> bare(Classified classified) {
        Map<String, Object> ifc = new LinkedHashMap<>();
        ifc.put("integrity", classified.trusted() ? "trusted" : "untrusted");
        ifc.put("confidentiality", classified.isPrivate() ? "private" : "public");
        return ifc;
    }

    private static SyncToolSpecification posting(
            String name, String description, Function<CallToolRequest, CallToolResult> post, String... required) {
        Tool tool = Tool.builder(name, schema(required))
                .description(description)
                .annotations(ToolAnnotations.builder()
                        .readOnlyHint(false)
                        .destructiveHint(false)
                        .build())
                .build();
        return LabelledTools.declare(
                POSTS, new SyncToolSpecification(tool, (exchange, request) -> post.apply(request)));
    }

    private CallToolResult comment(CallToolRequest request) {
        String repository = argument(request, "owner") + "/" + argument(request, "repo");
        return fixture.comment(repository, number(request, "issue_number"), argument(request, "body"))
                ? own("commented in " + repository, false)
                : nothingThere();
    }

    private CallToolResult note(CallToolRequest request) {
        return own("sent to " + argument(request, "to"), false);
    }

    private static CallToolResult nothingThere() {
        return own("there is no such thing here, or you may not see it: look at its name", true);
    }

    /** The forge's own words. They have no bare label, as with github-mcp-server. */
    private static CallToolResult own(String text, boolean error) {
        return Labels.of(CallToolResult.builder()
                        .addTextContent(text)
                        .isError(error)
                        .build())
                .notSensitive()
                .trusted()
                .build();
    }

    private static Map<String, Object> schema(String... required) {
        Map<String, Object> properties = new LinkedHashMap<>();
        for (String argument : required) {
            properties.put(argument, Map.of("type", argument.endsWith("_number") ? "integer" : "string"));
        }
        return Map.of("type", "object", "properties", properties, "required", List.of(required));
    }

    private static String argument(CallToolRequest request, String name) {
        Map<String, Object> arguments = request.arguments();
        Object value = arguments == null ? null : arguments.get(name);
        return value == null ? "" : String.valueOf(value);
    }

    /** Returns a number among the arguments; 0, which nothing has, where there is none. */
    private static int number(CallToolRequest request, String name) {
        Map<String, Object> arguments = request.arguments();
        return arguments != null && arguments.get(name) instanceof Number number ? number.intValue() : 0;
    }
}
