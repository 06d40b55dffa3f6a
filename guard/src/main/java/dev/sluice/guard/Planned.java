package dev.sluice.guard;

/**
 * Whether the recorded calls of a rehearsed session could have been made by a planner that had only handles of what was
 * hidden.
 *
 * @param unread whether no untrusted text came into the session, and every value of every call was typed by the user, was
 *     found in what the planner read, or is made of whole hidden values; before anything was hidden, a value may be the
 *     planner's own
 * @param passedOn whether besides, each answer of which something was hidden served a later call, and no value was one of
 *     several that were hidden in like places of one answer: nothing was left to read for a choice or for the user
 */
public record Planned(boolean unread, boolean passedOn) {}
