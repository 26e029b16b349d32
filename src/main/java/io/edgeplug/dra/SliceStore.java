package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.edgeplug.dra.Slice.Place;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** This node's slices on the API server, as a list and the watch that follows it report them; for one thread. */
final class SliceStore implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ApiServer api;
    private final String driver;
    private final Supplier<String> nodeName;
    private final Runnable wake;
    private final KeptFields kept;

    private Optional<Place> place = Optional.empty();
    private final Map<Integer, Slice> slices = new HashMap<>();
    private final List<Slice> surplus = new ArrayList<>();
    private long generation = 1;
    private long count;

    private final SliceTexts texts = new SliceTexts();

    private Optional<SliceWatch> watch = Optional.empty();

    SliceStore(ApiServer api, String driver, Supplier<String> nodeName, Runnable wake) {
        this.api = api;
        this.driver = driver;
        this.nodeName = nodeName;
        this.wake = wake;
        this.kept = new KeptFields(driver);
    }

    /** Whether a watch reports changes by others now. */
    boolean isFollowed() {
        return watch.filter(one -> !one.isOver()).isPresent();
    }

    /** The name of the pool, which is the node's; empty until it is known. */
    String pool() {
        return place.map(Place::node).orElse("");
    }

    /** The fields that the server keeps, as far as it is known; from any thread. */
    SliceFields fields() {
        return kept.fields();
    }

    long generation() {
        return generation;
    }

    /** How many devices are in the slices. */
    int devices() {
        return slices.values().stream()
                .mapToInt(slice -> slice.content().devices().size())
                .sum();
    }

    /** Has the slices listed again before the next write. */
    void forget() {
        watch.ifPresent(SliceWatch::close);
        watch = Optional.empty();
    }

    /**
     * Makes the slices those of these offers, and writes only those that differ.
     *
     * @return how many slices there are then
     */
    int write(List<Offer> offers) throws IOException, InterruptedException {
        takeNews();
        Place where = place();
        if (!isFollowed()) {
            list(where);
            where = place();
        }
        // Another turn is needed only if the server turns out to drop one more kind of field.
        while (true) {
            SliceFields before = kept.fields();
            List<SliceContent> wanted = Pool.slices(driver, offers, kept.fields(), places(), texts);
            write(where, wanted);
            if (before.equals(kept.fields())) {
                return wanted.size();
            }
        }
    }

    /** By the name of a device, the index of the slice that has it. */
    private Map<String, Integer> places() {
        Map<String, Integer> places = new HashMap<>();
        slices.values().forEach(slice -> slice.content().devices().forEach(name -> places.put(name, slice.index())));
        return places;
    }

    private Place place() throws IOException, InterruptedException {
        if (place.isEmpty()) {
            String node = nodeName.get().isEmpty()
                    ? api.nodeName()
                            .orElseThrow(
                                    () -> new IOException("the identity is no node's, so [dra] node_name is needed"))
                    : nodeName.get();
            JsonObject answer = api.ask(ApiRequest.node(node), PATIENCE);
            place = Optional.of(new Place(driver, node, Slice.text(Slice.object(answer, "metadata"), "uid")));
        }
        return place.orElseThrow();
    }

    /** Takes in the changes since the last call. The watch reports our own changes too. */
    private void takeNews() {
        if (watch.isEmpty()) {
            return;
        }
        for (String name : watch.orElseThrow().names()) {
            Optional<String> version = watch.orElseThrow().take(name);
            Optional<Slice> known = slices.values().stream()
                    .filter(slice -> slice.name().equals(name))
                    .findFirst();
            if (version.isEmpty()) {
                known.ifPresent(slice -> slices.remove(slice.index()));
                // The slice may be gone because the node was deleted and made again, so the node's UID is asked for
                // again.
                place = place.filter(one -> known.isEmpty());
            } else if (known.filter(slice -> isAsNew(slice, version.orElseThrow()))
                    .isEmpty()) {
                forget();
                return;
            }
        }
    }

    /** Versions of one server are rising numbers. */
    private static boolean isAsNew(Slice slice, String version) {
        if (!slice.version().matches("\\d{1,18}") || !version.matches("\\d{1,18}")) {
            return slice.version().equals(version);
        }
        return Long.parseLong(slice.version()) >= Long.parseLong(version);
    }

    private void list(Place where) throws IOException, InterruptedException {
        forget();
        JsonObject list = api.ask(ApiRequest.slices(where.node(), driver), PATIENCE);
        Set<String> before = names();
        slices.clear();
        surplus.clear();
        if (list.get("items") instanceof JsonArray items) {
            for (JsonElement item : items) {
                if (item instanceof JsonObject json) {
                    add(Slice.of(json));
                }
            }
        }
        // Slices may be missing because the node was deleted and made again, so the node's UID is asked for again.
        boolean isAllThere = names().containsAll(before);
        place = place.filter(one -> isAllThere);
        slices.values().forEach(slice -> {
            if (slice.generation() >= generation) {
                generation = slice.generation();
                count = slice.count();
            }
        });
        String version = Slice.text(Slice.object(list, "metadata"), "resourceVersion");
        watch = Optional.of(
                SliceWatch.start(api, ApiRequest.watchSlices(where.node(), driver, version), PATIENCE, wake));
    }

    private Set<String> names() {
        return slices.values().stream().map(Slice::name).collect(Collectors.toSet());
    }

    private void add(Slice slice) {
        if (slice.index() < 0 || slices.putIfAbsent(slice.index(), slice) != null) {
            surplus.add(slice);
        }
    }

    /**
     * Consumers use only slices of the highest generation. The pool is complete if it has as many as each slice says.
     */
    private void write(Place where, List<SliceContent> wanted) throws IOException, InterruptedException {
        long stale = 0;
        for (int i = 0; i < wanted.size(); i++) {
            stale += isStale(i, wanted.get(i)) ? 1 : 0;
        }
        if (count != 0 && (stale > 1 || count != wanted.size())) {
            generation++;
        }
        count = wanted.size();
        List<Integer> due = IntStream.range(0, wanted.size())
                .filter(i -> isDue(i, wanted.get(i)))
                .boxed()
                .toList();
        SliceFields before = kept.fields();
        // The answer to the first one shows which fields the server keeps.
        int first = Math.min(1, due.size());
        send(where, wanted, due.subList(0, first));
        if (before.equals(kept.fields())) {
            send(where, wanted, due.subList(first, due.size()));
        }
        if (!before.equals(kept.fields())) {
            // All slices are made again without the fields that the server does not keep.
            return;
        }
        for (int index : List.copyOf(slices.keySet())) {
            if (index >= wanted.size()) {
                surplus.add(slices.remove(index));
            }
        }
        while (!surplus.isEmpty()) {
            delete(surplus.getLast());
            surplus.removeLast();
        }
    }

    private boolean isDue(int index, SliceContent wanted) {
        return isStale(index, wanted)
                || Optional.ofNullable(slices.get(index))
                        .filter(slice -> slice.generation() == generation && slice.count() == count)
                        .isEmpty();
    }

    private boolean isStale(int index, SliceContent wanted) {
        return Optional.ofNullable(slices.get(index))
                .filter(slice ->
                        kept.isSame(index, wanted.json(), slice.content().json()))
                .isEmpty();
    }

    /** Writes these slices, all that the server takes. */
    private void send(Place where, List<SliceContent> wanted, List<Integer> due)
            throws IOException, InterruptedException {
        List<ApiRequest> requests = due.stream()
                .map(index -> request(where, index, wanted.get(index)))
                .toList();
        Optional<Throwable> failure = Optional.empty();
        Iterator<Future<String>> answers = api.askAll(requests, PATIENCE).iterator();
        for (int index : due) {
            Optional<Throwable> one = take(index, wanted.get(index), answers.next());
            failure = failure.or(() -> one);
        }
        if (failure.isPresent()) {
            throw failure.orElseThrow() instanceof IOException io ? io : new IOException(failure.orElseThrow());
        }
    }

    /** Takes in the answer to a slice that was written, and returns why it was not. */
    private Optional<Throwable> take(int index, SliceContent wanted, Future<String> answer) {
        if (answer.state() != Future.State.SUCCESS) {
            return Optional.of(answer.exceptionNow()).filter(failure -> !kept.areRefused(wanted.json(), failure));
        }
        try {
            Slice slice = Slice.of(answer.resultNow(), wanted);
            slices.put(index, slice);
            kept.accepted(index, wanted.json(), slice.content().json());
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    private ApiRequest request(Place where, int index, SliceContent content) {
        Optional<Slice> before = Optional.ofNullable(slices.get(index));
        String json = Slice.json(where, index, generation, count, content, before);
        return before.map(slice -> ApiRequest.replace(slice.name(), json)).orElseGet(() -> ApiRequest.create(json));
    }

    private void delete(Slice slice) throws IOException, InterruptedException {
        try {
            JsonObject ignored = api.ask(ApiRequest.delete(slice.name(), slice.uid()), PATIENCE);
        } catch (ApiException e) {
            if (!e.isOutdated()) {
                throw e;
            }
        }
    }

    /** Stops following the slices, which stay on the server. */
    @Override
    public void close() {
        forget();
    }
}
