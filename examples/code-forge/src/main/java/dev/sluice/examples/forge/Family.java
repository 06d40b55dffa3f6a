package dev.sluice.examples.forge;

import dev.sluice.examples.forge.Fixture.Visibility;
import java.util.Collection;
import java.util.Optional;

/** Tools whose answers are classified alike. */
enum Family {
    /** What anybody may write who may see the repository: in a public one outsiders. */
    CONTENT,
    /** What only those write who keep the repository. */
    MAINTAINED,
    /** The same, but for a draft, which is private in a public repository too. */
    RELEASES,
    /** Who works here. */
    ROSTER,
    /** What an organisation has set up for itself. */
    ORGANISATION,
    /** What programs print that anybody's code ran through. */
    RUNS,
    /** Weak places that nobody outside should know. */
    ALERTS,
    /** Advisories of one repository: private until they are published. */
    ADVISORIES,
    /** What everybody may see and anybody may write. */
    WORLD,
    /** What a project's owner writes. */
    PROJECT,
    /** What is in a project. */
    PROJECT_CONTENT,
    /** What was found in several repositories, or none. */
    SEARCH,
    /** What github-mcp-server gives no label. */
    UNLABELLED;

    /**
     * How an answer is classified.
     *
     * @param trusted whether nobody outside can have written it
     * @param isPrivate whether not everybody may see it
     */
    record Classified(boolean trusted, boolean isPrivate) {

        /** The worst, for what is not known. */
        static final Classified UNKNOWN = new Classified(false, true);

        Classified with(Classified other) {
            return new Classified(trusted && other.trusted, isPrivate || other.isPrivate);
        }
    }

    /**
     * Returns how github-mcp-server classifies an answer; empty where it is silent, since it says nothing of these tools, or
     * since it could not look up who may see the place.
     *
     * @param places the visibilities of all repositories or projects that something in the answer is from
     * @param unpublished whether something in it is a draft, or not published yet
     */
    Optional<Classified> classify(Collection<Visibility> places, boolean unpublished) {
        if (places.contains(Visibility.UNKNOWN)) {
            return Optional.empty();
        }
        boolean somePrivate = places.contains(Visibility.PRIVATE);
        boolean allPrivate = somePrivate && !places.contains(Visibility.PUBLIC);
        return switch (this) {
            case CONTENT, PROJECT, SEARCH -> Optional.of(new Classified(allPrivate, somePrivate));
            case MAINTAINED -> Optional.of(new Classified(true, somePrivate));
            case RELEASES -> Optional.of(new Classified(true, somePrivate || unpublished));
            case ROSTER, ORGANISATION -> Optional.of(new Classified(true, true));
            case RUNS, PROJECT_CONTENT -> Optional.of(new Classified(false, somePrivate));
            case ALERTS -> Optional.of(new Classified(false, true));
            case ADVISORIES -> Optional.of(new Classified(false, somePrivate || unpublished));
            case WORLD -> Optional.of(new Classified(false, false));
            case UNLABELLED -> Optional.empty();
        };
    }

    /**
     * Returns how an answer is classified here: never as less than github-mcp-server does, and where that is silent as the
     * worst. Release notes of a public repository quote the titles of what outsiders sent in, and not every gist is for all.
     */
    Classified canonical(Optional<Classified> theirs, Collection<Visibility> places, boolean unpublished) {
        Classified said = theirs.orElse(Classified.UNKNOWN);
        return switch (this) {
            case RELEASES -> said.with(new Classified(!places.contains(Visibility.PUBLIC), false));
            case WORLD -> said.with(new Classified(true, unpublished));
            case CONTENT,
                    MAINTAINED,
                    ROSTER,
                    ORGANISATION,
                    RUNS,
                    ALERTS,
                    ADVISORIES,
                    PROJECT,
                    PROJECT_CONTENT,
                    SEARCH,
                    UNLABELLED -> said;
        };
    }
}
