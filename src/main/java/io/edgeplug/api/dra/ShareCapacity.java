package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.model.rules.Sharing;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shares of a device as a capacity that several claims consume, as in KEP-5075 of Kubernetes. A claim that asks for
 * no amount consumes one.
 *
 * @param shares that claims can consume
 * @param oneOnly whether a claim may consume only one with a request
 */
record ShareCapacity(int shares, boolean oneOnly) {

    /** The field of a device that several claims may have. A server that does not know it drops it. */
    static final String SEVERAL = "allowMultipleAllocations";

    /**
     * The name of the capacity. It has no domain, so that it is the same for every driver's name: claims must write it
     * as slices do.
     */
    static final String NAME = "shares";

    private static final String VALUE = "value";
    private static final int THOUSAND = 1000;
    private static final Pattern AMOUNT = Pattern.compile("([1-9]\\d{0,3})(k|e3)?");

    /** The capacities of a device in a slice, with names in the order of the alphabet. */
    JsonObject json() {
        JsonObject range = new JsonObject();
        if (oneOnly) {
            range.addProperty("max", "1");
        }
        range.addProperty("min", "1");
        // The API server refuses a step beyond the whole capacity.
        if (!oneOnly && shares > 1) {
            range.addProperty("step", "1");
        }
        JsonObject policy = Json.of("default", "1", "validRange", range);
        return Json.of(NAME, Json.of("requestPolicy", policy, VALUE, amount(shares)));
    }

    /** The amount as the API server writes it. */
    private static String amount(int shares) {
        return shares % THOUSAND == 0 ? shares / THOUSAND + "k" : String.valueOf(shares);
    }

    /**
     * The number of shares that a result of an allocation consumes.
     *
     * @throws IOException if it is no number of shares; the message is a clause
     */
    static int consumed(JsonObject result) throws IOException {
        JsonObject consumed = Json.object(result, "consumedCapacity");
        if (!consumed.has(NAME)) {
            return 1;
        }
        Matcher amount = AMOUNT.matcher(Json.text(consumed, NAME));
        if (!amount.matches()
                || (amount.group(2) != null && Integer.parseInt(amount.group(1)) > Sharing.MAX_SHARES / THOUSAND)) {
            throw new IOException("its allocation consumes a number of shares that no device has");
        }
        return Integer.parseInt(amount.group(1)) * (amount.group(2) == null ? 1 : THOUSAND);
    }
}
