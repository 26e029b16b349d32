package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Event.Noted;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Rules of which one is wrong, to see whether the model finds it. */
final class Mistakes {

    private Mistakes() {}

    static Decisions facesAreIgnored() {
        return new Decisions() {
            @Override
            Optional<Verdict> ofList(Face face, Custody custody, @Nullable Hold kin, Map<String, Hold> mates) {
                return super.ofList(face, custody, kin, mates).filter(Mistakes::isNoFace);
            }

            @Override
            Optional<Verdict> ofCall(
                    Face face,
                    Custody custody,
                    @Nullable Hold kin,
                    Map<String, Hold> mates,
                    Set<String> devices,
                    Set<User> callers) {
                return super.ofCall(face, custody, kin, mates, devices, callers).filter(Mistakes::isNoFace);
            }
        };
    }

    private static boolean isNoFace(Verdict verdict) {
        return !verdict.text().startsWith("is held as");
    }

    static Decisions groupIsIgnored() {
        return new Decisions() {
            @Override
            Optional<Verdict> ofCall(
                    Face face,
                    Custody custody,
                    @Nullable Hold kin,
                    Map<String, Hold> mates,
                    Set<String> devices,
                    Set<User> callers) {
                return super.ofCall(face, custody, kin, Map.of(), devices, callers);
            }
        };
    }

    static Decisions otherPartsAreIgnored() {
        return new Decisions() {
            @Override
            Optional<Verdict> ofCall(
                    Face face,
                    Custody custody,
                    @Nullable Hold kin,
                    Map<String, Hold> mates,
                    Set<String> devices,
                    Set<User> callers) {
                return super.ofCall(face, custody, null, mates, devices, callers);
            }
        };
    }

    static Decisions sharesAreOtherDevices() {
        return new Decisions() {
            @Override
            Optional<Verdict> ofCall(
                    Face face,
                    Custody custody,
                    @Nullable Hold kin,
                    Map<String, Hold> mates,
                    Set<String> devices,
                    Set<User> callers) {
                return super.ofCall(sharedAsHeld(face, custody), custody, kin, mates, devices, callers);
            }

            @Override
            Optional<Verdict> ofList(Face face, Custody custody, @Nullable Hold kin, Map<String, Hold> mates) {
                return super.ofList(sharedAsHeld(face, custody), custody, kin, mates);
            }

            private static Face sharedAsHeld(Face face, Custody custody) {
                return new Face(
                        face.device(),
                        face.resource(),
                        face.isScrubbed(),
                        face.isClaimed(),
                        custody.holds().keySet().stream().noneMatch(custody.id()::equals),
                        face.group());
            }
        };
    }

    static Decisions oldNotesCount() {
        return noting(noted -> new Noted(noted.notings(), Instant.MAX, noted.quiet(), noted.isFirst(), noted.now()));
    }

    static Decisions newDaemonForgetsLastUsers() {
        return noting(noted -> new Noted(noted.notings(), noted.written(), noted.quiet(), false, noted.now()));
    }

    private static Decisions noting(UnaryOperator<Noted> change) {
        return new Decisions() {
            @Override
            Custody on(Custody custody, Event event) {
                return super.on(custody, event instanceof Noted noted ? change.apply(noted) : event);
            }
        };
    }

    static Decisions holdsEndBeforeProcesses() {
        return new Decisions() {
            @Override
            Custody on(Custody custody, Event event) {
                return super.on(custody, event instanceof Noted noted ? quiet(custody, noted) : event);
            }
        };
    }

    private static Noted quiet(Custody custody, Noted noted) {
        Set<String> quiet = new HashSet<>(noted.quiet());
        quiet.addAll(custody.uids());
        return new Noted(noted.notings(), noted.written(), quiet, noted.isFirst(), noted.now());
    }

    /** The user before the kubelet's newest is forgotten as soon as that is noted. */
    static Decisions lastProcessIsForgotten() {
        return after(
                Noted.class,
                (before, after) -> after.each(hold -> hold.isGrant() ? hold : hold.after(Optional.empty())));
    }

    static Decisions lateGroupIsNotLearned() {
        return new Decisions() {
            @Override
            Custody on(Custody custody, Event event) {
                Custody next = super.on(custody, event);
                SortedMap<String, Hold> holds = new TreeMap<>(next.holds());
                custody.holds()
                        .forEach((id, before) -> holds.computeIfPresent(
                                id,
                                (same, hold) -> hold.user().is(before.user())
                                        ? Hold.of(hold.user(), hold.resource(), before.group())
                                                .starting(hold.starts())
                                                .after(hold.before())
                                                .told(hold.told())
                                        : hold));
                return next.with(holds);
            }
        };
    }

    static Decisions troubleOutlivesItsUser() {
        return after(Noted.class, (before, after) -> after.troubled(before.trouble()));
    }

    static Decisions failedScrubNeverEnds() {
        return after(Event.Ended.class, (before, after) -> after.trouble().isPresent() ? before : after);
    }

    static Decisions startsAreNotCountedDown() {
        return after(Event.Starting.class, (before, after) -> waiting(after) < waiting(before) ? before : after);
    }

    private static int waiting(Custody custody) {
        return custody.holds().values().stream().mapToInt(Hold::starts).sum();
    }

    /** A record before and after an event. */
    private interface Change {
        Custody of(Custody before, Custody after);
    }

    private static Decisions after(Class<? extends Event> kind, Change change) {
        return new Decisions() {
            @Override
            Custody on(Custody custody, Event event) {
                Custody after = super.on(custody, event);
                return kind.isInstance(event) ? change.of(custody, after) : after;
            }
        };
    }

    static Decisions processesAreIgnored() {
        return scrubbing(custody -> custody.with(custody.traces().map(traces -> traces.running(false))));
    }

    static Decisions sharesWaitForOthers() {
        return scrubbing(custody -> custody.each(hold -> hold.started(true)));
    }

    /** As if every user waited for the scrub. */
    static Decisions usersAreIgnored() {
        return scrubbing(custody -> custody.each(hold -> hold.starting(1)));
    }

    private static Decisions scrubbing(UnaryOperator<Custody> change) {
        return new Decisions() {
            @Override
            Due due(
                    Custody custody,
                    boolean isKinHeld,
                    boolean isHere,
                    boolean isRead,
                    @Nullable String obstacle,
                    long now) {
                return super.due(change.apply(custody), isKinHeld, isHere, isRead, obstacle, now);
            }

            @Override
            Optional<String> objectionToScrub(Custody custody, boolean isKinHeld) {
                return super.objectionToScrub(change.apply(custody), isKinHeld);
            }
        };
    }

    static Decisions unseenStartIsNotNotedAfterAReleasedUser() {
        return new Decisions() {
            @Override
            boolean notesUnseen(Optional<Traces> before) {
                return before.filter(Traces::isReleased).isEmpty();
            }
        };
    }

    static Decisions failedScrubIsNotTriedAgain() {
        return new Decisions() {
            @Override
            Due due(
                    Custody custody,
                    boolean isKinHeld,
                    boolean isHere,
                    boolean isRead,
                    @Nullable String obstacle,
                    long now) {
                return custody.trouble().isPresent()
                        ? new Due.Nothing()
                        : super.due(custody, isKinHeld, isHere, isRead, obstacle, now);
            }
        };
    }

    static Decisions startsDoNotWait() {
        return new Decisions() {
            @Override
            boolean waitsForScrub(Custody custody, User user, Face face) {
                return false;
            }
        };
    }

    static Decisions newDaemonForgetsTraces() {
        return new Decisions() {
            @Override
            Optional<Traces> remembered(Traces traces) {
                return Optional.empty();
            }
        };
    }

    /** A device is offered although its last users have left traces. */
    static Decisions tracesAreOffered() {
        return new Decisions() {
            @Override
            Optional<Verdict> ofList(Face face, Custody custody, @Nullable Hold kin, Map<String, Hold> mates) {
                return super.ofList(face, custody.with(Optional.empty()), kin, mates);
            }
        };
    }
}
