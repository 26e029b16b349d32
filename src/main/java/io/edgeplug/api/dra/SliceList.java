package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.files.JsonTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The slices of a node, as the API server lists them.
 *
 * @param version by which a watch follows the list
 */
record SliceList(String version, List<Slice> slices) {

    /** The contents of 4,096 devices are about 6 MiB. */
    private static final int MAX_KEPT = 8 << 20;

    /** Slices of 4,096 devices are 64, with as many of counters. */
    private static final int MAX_SLICES = 1024;

    /** Kubernetes takes no more in a slice. */
    private static final int MAX_DEVICES = 128;

    SliceList {
        slices = List.copyOf(slices);
    }

    /** Reads one slice after the other. */
    static ApiReading<SliceList> reading() {
        return ApiReading.json(2 * Slice.MAX_TREE, SliceList::read);
    }

    private static SliceList read(ForeignJson json) throws IOException {
        List<Slice> slices = new ArrayList<>();
        long[] kept = {0};
        JsonObject metadata = ApiReading.list(json, () -> {
            Slice slice = Slice.of(new JsonTree(json, Slice.MAX_TREE).nextObject());
            if (slice.content().devices().size() > MAX_DEVICES) {
                throw new TooLargeException("has a slice with more than the " + MAX_DEVICES + " devices of Kubernetes");
            }
            slices.add(slice);
            kept[0] += slice.memory();
            if (kept[0] > MAX_KEPT || slices.size() > MAX_SLICES) {
                throw new TooLargeException("has more slices than a node can have");
            }
        });
        return new SliceList(Json.text(metadata, "resourceVersion"), slices);
    }
}
