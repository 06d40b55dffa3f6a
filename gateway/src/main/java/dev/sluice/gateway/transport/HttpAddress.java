package dev.sluice.gateway.transport;

import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where an upstream is reached over HTTP, and what is sent with each request there.
 *
 * @param url the address; what may be a secret in it is never told
 * @param headers names and values
 * @param variables the environment variables that fill the values, for people to look at
 */
public record HttpAddress(URI url, Map<String, String> headers, List<String> variables) {

    public HttpAddress {
        headers = Map.copyOf(headers);
        variables = List.copyOf(variables);
    }

    /**
     * Returns the address with these headers.
     *
     * @throws IOException where a value can't be sent; the message says which, and not what it is
     */
    public static HttpAddress of(String server, URI url, Map<String, String> headers, List<String> variables)
            throws IOException {
        Map<String, String> sent = new LinkedHashMap<>();
        for (Map.Entry<String, String> header : headers.entrySet()) {
            String value = header.getValue();
            if (!value.equals(value.strip()) || !value.chars().allMatch(c -> (c >= 0x20 && c < 0x7f) || c == '\t')) {
                throw new IOException("the header `" + header.getKey() + "` of `" + server
                        + "` can't be sent: its value must be one line of ASCII without spaces around it; look at "
                        + (variables.isEmpty() ? "its value" : "`" + String.join("`, `", variables) + "`"));
            }
            sent.put(header.getKey(), value);
        }
        return new HttpAddress(url, sent, variables);
    }

    /** Returns scheme, host and port, which hold no secret. */
    String origin() {
        return url.getScheme() + "://" + url.getRawAuthority();
    }

    /** Says no header's value. */
    @Override
    public String toString() {
        return origin();
    }
}
