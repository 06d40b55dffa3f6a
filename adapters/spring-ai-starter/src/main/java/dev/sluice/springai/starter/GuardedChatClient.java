package dev.sluice.springai.starter;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.api.Advisor;
import org.springframework.ai.chat.prompt.Prompt;

/** A chat client that gives each request Sluice's advisor, whoever made the client. */
record GuardedChatClient(ChatClient client, Advisor advisor) implements ChatClient {

    @Override
    public ChatClientRequestSpec prompt() {
        return client.prompt().advisors(advisor);
    }

    @Override
    public ChatClientRequestSpec prompt(String content) {
        return client.prompt(content).advisors(advisor);
    }

    @Override
    public ChatClientRequestSpec prompt(Prompt prompt) {
        return client.prompt(prompt).advisors(advisor);
    }

    @Override
    public Builder mutate() {
        return client.mutate().defaultAdvisors(advisor);
    }
}
