package dev.sluice.springai.starter;

import dev.sluice.guard.client.Approver;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyException;
import dev.sluice.policy.PolicyParser;
import dev.sluice.springai.Sluice;
import dev.sluice.store.Engine;
import dev.sluice.store.MemoryEngine;
import dev.sluice.store.sqlite.SqliteEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.ai.chat.client.ChatClientBuilderCustomizer;
import org.springframework.ai.chat.client.advisor.api.MemoryAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * Enforces the policy file under {@code sluice.policy} in an application on Spring AI. Where it can't be enforced on a bean, the
 * application does not start.
 */
@AutoConfiguration
@EnableConfigurationProperties(SluiceProperties.class)
public class SluiceAutoConfiguration {

    private static final String CLASS_PATH = "classpath:";

    /** As in the gateway, so that its commands find the state of an application. */
    private static final String DATABASE = "state.db";

    /** How much earlier than an MCP client Sluice gives up on a person. */
    private static final Duration AHEAD = Duration.ofSeconds(2);

    /** Returns what decides. */
    @Bean
    @ConditionalOnMissingBean
    public Enforcement sluiceEnforcement(
            SluiceProperties properties,
            ResourceLoader resources,
            Environment environment,
            Engine engine,
            ObjectProvider<Approver> approver,
            ObjectProvider<EnforcementCustomizer> customizers) {
        Policy policy = policy(properties.policy(), resources);
        Enforcement.Builder builder = Enforcement.builder(policy).engine(engine).idle(properties.idle());
        builder.patience(patience(policy, environment));
        if (!properties.policy().startsWith(CLASS_PATH)) {
            builder.withheld(Path.of(properties.policy()));
        }
        if (!properties.isInMemory()) {
            builder.withheld(Path.of(properties.state()));
        }
        if (!properties.principal().isEmpty()) {
            builder.principal(properties.principal());
        }
        approver.ifAvailable(builder::approver);
        customizers.orderedStream().forEach(each -> each.customize(builder));
        return builder.build();
    }

    private static Policy policy(String place, ResourceLoader resources) {
        if (place.isBlank()) {
            throw unusable("sluice.policy", "no policy is named; name a policy file here, or take the starter out");
        }
        try {
            if (place.startsWith(CLASS_PATH)) {
                Resource resource = resources.getResource(place);
                return PolicyParser.parse(place, resource.getContentAsString(StandardCharsets.UTF_8));
            }
            if (Files.isReadable(Path.of(place)) && !Files.isDirectory(Path.of(place))) {
                return PolicyParser.read(Path.of(place));
            }
        } catch (IOException e) {
            // Said below.
        }
        throw unusable(place, "the policy can't be read; name a readable file in `sluice.policy`");
    }

    private static PolicyException unusable(String place, String why) {
        return new PolicyException(List.of(new PolicyException.Problem(place, 0, why)));
    }

    /** A client that gives up first would leave a call behind that a person may still let through. */
    private static Duration patience(Policy policy, Environment environment) {
        Duration said = policy.gateway().ask().time();
        Duration client = Optional.ofNullable(environment.getProperty("spring.ai.mcp.client.request-timeout"))
                .map(DurationStyle::detectAndParse)
                .orElse(Duration.ofSeconds(20));
        Duration most = client.minus(AHEAD);
        return most.compareTo(said) < 0 ? (most.isNegative() ? Duration.ZERO : most) : said;
    }

    /** Returns where labels and records are kept. */
    @Bean
    @ConditionalOnMissingBean
    public Engine sluiceEngine(SluiceProperties properties) {
        return properties.isInMemory()
                ? new MemoryEngine()
                : SqliteEngine.open(Path.of(properties.state()).resolve(DATABASE), SqliteEngine.Options.DEFAULT);
    }

    /** Returns what guards the parts of the application. */
    @Bean
    @ConditionalOnMissingBean
    public Sluice sluice(Enforcement enforcement, SluiceProperties properties) {
        Sluice sluice = Sluice.of(enforcement).withLocalServer(properties.localServer());
        if (properties.userMessagesAreTyped()) {
            sluice = sluice.withTypedUserMessages();
        }
        return properties.conversation().isBlank() ? sluice : sluice.withOneConversation(properties.conversation());
    }

    // Spring looks at the type to know that it comes before others.
    @Bean
    static GuardingPostProcessor sluiceGuardingPostProcessor(ObjectProvider<Sluice> sluice) {
        return new GuardingPostProcessor(sluice);
    }

    @Bean
    ChatClientBuilderCustomizer sluiceChatClients(Sluice sluice) {
        return builder -> builder.defaultAdvisors(sluice.advisor());
    }

    @Bean
    static SmartInitializingSingleton sluiceUnguarded(ConfigurableListableBeanFactory beans) {
        return new Unguarded(beans);
    }

    @Bean
    SmartInitializingSingleton sluiceOutlivesChatMemory(
            SluiceProperties properties,
            Engine engine,
            ObjectProvider<ChatMemoryRepository> repositories,
            ObjectProvider<ChatMemory> memories,
            ObjectProvider<MemoryAdvisor> advisors) {
        return new Memories(properties, engine, repositories, memories, advisors);
    }

    @Bean
    @ConditionalOnProperty("sluice.idle")
    IdleConversations sluiceIdleConversations(Sluice sluice) {
        return new IdleConversations(sluice::endIdle, Duration.ofMinutes(1));
    }
}
