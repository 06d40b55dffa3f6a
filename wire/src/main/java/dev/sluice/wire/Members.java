package dev.sluice.wire;

import tools.jackson.databind.node.ObjectNode;

/** Writing into objects that may not be there yet. */
final class Members {

    private Members() {}

    /** Returns the member where it is an object, else puts an empty one in its place. */
    static ObjectNode object(ObjectNode parent, String name) {
        return parent.get(name) instanceof ObjectNode present ? present : parent.putObject(name);
    }
}
