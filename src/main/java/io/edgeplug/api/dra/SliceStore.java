package io.edgeplug.api.dra;

import io.edgeplug.api.dra.Slice.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** This node's slices on the API server, as a list and the watch that follows it report them; for one thread. */
final class SliceStore {

    private final ApiServer api;
    private final String driver;
    private final Runnable wake;
    private final KeptFields kept;

    private @Nullable Place place;
    private final Map<Integer, Slice> slices = new HashMap<>();
    private final List<Slice> surplus = new ArrayList<>();
    private long generation = 1;
    private long count;

    private final SliceTexts texts = new SliceTexts();

    private @Nullable SliceWatch watch;

    SliceStore(ApiServer api, String driver, KeptFields kept, Runnable wake) {
        this.api = api;
        this.driver = driver;
        this.wake = wake;
        this.kept = kept;
    }

    /** Whether a watch reports changes by others now. */
    boolean isFollowed() {
        return watch != null && !watch.isOver();
    }

    /** Stops following the slices, and has them listed again before the next write. */
    void forget() {
        if (watch != null) {
            watch.close();
        }
        watch = null;
    }

    /**
     * Makes the slices those of these offers, and writes only those that differ.
     *
     * @return the slices as they are then
     */
    SliceStatus write(List<Offer> offers) throws IOException, InterruptedException {
        takeNews();
        Place where = place();
        if (!isFollowed()) {
            list(where);
            where = place();
        }
        // Another turn is needed only if the server turns out to drop one more kind of field.
        Set<SliceField> before;
        do {
            before = kept.fields();
            write(where, Pool.slices(driver, offers, before, places(), texts));
        } while (!before.equals(kept.fields()));
        int devices = slices.values().stream()
                .mapToInt(slice -> slice.content().devices().size())
                .sum();
        return new SliceStatus(where.node(), generation, slices.size(), devices, Optional.empty());
    }

    /** By the name of a device, the index of the slice that has it. */
    private Map<String, Integer> places() {
        Map<String, Integer> places = new HashMap<>();
        slices.values().forEach(slice -> slice.content().devices().forEach(name -> places.put(name, slice.index())));
        return places;
    }

    private Place place() throws IOException, InterruptedException {
        Place known = place;
        if (known == null) {
            String node = api.nodeName();
            known = new Place(driver, node, api.ask(ApiRequest.node(node), ApiReading.uid()));
            place = known;
        }
        return known;
    }

    /** Takes in the changes since the last call. The watch reports our own changes too. */
    private void takeNews() {
        SliceWatch news = watch;
        if (news == null) {
            return;
        }
        for (String name : news.names()) {
            Optional<String> version = news.take(name);
            Optional<Slice> known = slices.values().stream()
                    .filter(slice -> slice.name().equals(name))
                    .findFirst();
            if (version.isEmpty() && known.isPresent()) {
                slices.remove(known.orElseThrow().index());
                // The slice may be gone because the node was deleted and made again, so the node's UID is asked for
                // again.
                place = null;
            } else if (version.isPresent()
                    && known.filter(slice -> isAsNew(slice, version.orElseThrow()))
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
        SliceList list = api.ask(ApiRequest.slices(where.node(), driver), SliceList.reading());
        Set<String> before = names();
        slices.clear();
        surplus.clear();
        list.slices().forEach(this::add);
        // Slices may be missing because the node was deleted and made again, so the node's UID is asked for again.
        if (!names().containsAll(before)) {
            place = null;
        }
        slices.values().forEach(slice -> {
            if (slice.generation() >= generation) {
                generation = slice.generation();
                count = slice.count();
            }
        });
        ApiRequest following = ApiRequest.watchSlices(where.node(), driver, list.version());
        watch = new SliceWatch(api, following, ApiServer.PATIENCE, wake);
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
            shareText(i, wanted.get(i));
        }
        if (count != 0 && (stale > 1 || count != wanted.size())) {
            generation++;
        }
        count = wanted.size();
        List<Integer> due = IntStream.range(0, wanted.size())
                .filter(i -> isDue(i, wanted.get(i)))
                .boxed()
                .toList();
        Set<SliceField> before = kept.fields();
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

    /** The texts of thousands of devices are megabytes, so what was read and is the same is not kept twice. */
    private void shareText(int index, SliceContent wanted) {
        slices.computeIfPresent(
                index, (same, slice) -> slice.content().equals(wanted) ? slice.withContent(wanted) : slice);
    }

    private boolean isDue(int index, SliceContent wanted) {
        Slice slice = slices.get(index);
        return isStale(index, wanted) || slice == null || slice.generation() != generation || slice.count() != count;
    }

    private boolean isStale(int index, SliceContent wanted) {
        Slice slice = slices.get(index);
        return slice == null
                || !kept.isSame(index, wanted.json(), slice.content().json());
    }

    /** Writes these slices, all that the server takes. */
    private void send(Place where, List<SliceContent> wanted, List<Integer> due)
            throws IOException, InterruptedException {
        Map<ApiRequest, ApiReading<Slice>> requests = new LinkedHashMap<>();
        due.forEach(index -> requests.put(request(where, index, wanted.get(index)), Slice.reading(wanted.get(index))));
        Throwable failure = null;
        Iterator<Future<Slice>> answers = api.askAll(requests).iterator();
        for (int index : due) {
            Throwable one = take(index, wanted.get(index), answers.next());
            failure = failure == null ? one : failure;
        }
        if (failure != null) {
            throw failure instanceof IOException io ? io : new IOException(failure);
        }
    }

    /** Takes in the answer to a slice that was written, and returns why it was not. */
    private @Nullable Throwable take(int index, SliceContent wanted, Future<Slice> answer) {
        if (answer.state() != Future.State.SUCCESS) {
            Throwable failure = answer.exceptionNow();
            return kept.areRefused(wanted.json(), failure) ? null : failure;
        }
        Slice slice = answer.resultNow();
        slices.put(index, slice);
        kept.accepted(index, wanted.json(), slice.content().json());
        return null;
    }

    private ApiRequest request(Place where, int index, SliceContent content) {
        Slice before = slices.get(index);
        String json = Slice.json(where, index, generation, count, content, before);
        return before == null ? ApiRequest.create(json) : ApiRequest.replace(before.name(), json);
    }

    private void delete(Slice slice) throws IOException, InterruptedException {
        try {
            boolean ignored = api.ask(ApiRequest.delete(slice.name(), slice.uid()), ApiReading.nothing());
        } catch (ApiException e) {
            if (!e.isOutdated()) {
                throw e;
            }
        }
    }
}
