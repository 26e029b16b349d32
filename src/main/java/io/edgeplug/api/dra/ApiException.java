package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ApiExchanges.ApiAnswer;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Logger;

/** The API server has answered, but without success. */
final class ApiException extends IOException {

    private static final long serialVersionUID = 1;

    private static final Logger LOG = Logger.getLogger(ApiException.class.getName());

    /** How much is read of such an answer, and how much of its reason is told. */
    private static final int MAX_REFUSAL = 64 << 10;

    private static final int MAX_TEXT = 300;

    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int INVALID = 422;
    private static final int TOO_MANY = 429;
    private static final int FIRST_OF_SERVER = 500;

    /** Of a right that validation looks for, the server says in this message that it is missing. */
    private static final String CHECKED_LATE = NodeRights.CLAIMS + "/" + NodeRights.DRIVER;

    private final int status;
    private final Duration retryAfter;

    /**
     * An answer.
     *
     * @param status the HTTP status
     * @param retryAfter the pause that the server asks for before the next request; zero if it asks for none
     */
    private ApiException(String message, int status, Duration retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** Of an answer, with the reason that the server gives. */
    static ApiException of(ApiRequest request, ApiAnswer answer, Path kubeconfig) throws IOException {
        String said = said(answer);
        String reason = PlainText.start(said, MAX_TEXT);
        int status = answer.status() == INVALID && said.contains(CHECKED_LATE) ? FORBIDDEN : answer.status();
        String text = switch (status) {
            case 401 -> "the API server does not accept the identity in " + kubeconfig + ": " + reason;
            case 403 ->
                "the identity in " + kubeconfig + " is not allowed to " + request.right()
                        + ", by the Node authorizer or a role: " + reason;
            default -> "the API server answers " + status + " to " + request.right() + ": " + reason;
        };
        return new ApiException(text, status, answer.retryAfter());
    }

    /** The message of the server. If there is none, what comes in its place is no reason for another error. */
    private static String said(ApiAnswer answer) throws IOException {
        StringBuilder said = new StringBuilder();
        try {
            ForeignJson json = ForeignJson.of(answer.body(), MAX_REFUSAL, ApiReading.MAX_WORD);
            json.eachField(name -> {
                if (name.equals("message")) {
                    said.append(json.text());
                } else {
                    json.skipValue();
                }
            });
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | IllegalStateException e) {
            LOG.fine(() -> "the API server gives no reason: " + e.getMessage());
        }
        return said.isEmpty() ? "no reason is given" : said.toString();
    }

    Duration retryAfter() {
        return retryAfter;
    }

    /**
     * Whether the identity may not do this. The Node authorizer also answers so if a slice was deleted meanwhile, because
     * it allows a node only its own slices.
     */
    boolean isForbidden() {
        return status == FORBIDDEN;
    }

    /** Whether the server cannot answer at the moment, whatever it is asked. */
    boolean isOfServer() {
        return status == TOO_MANY || status >= FIRST_OF_SERVER;
    }

    /** Whether the server rejects the content of the request. */
    boolean isInvalid() {
        return status == INVALID;
    }

    /** Whether there is no such object. */
    boolean isNotFound() {
        return status == NOT_FOUND;
    }

    /** Whether the object has changed since it was read, so that reading it again helps at once. */
    boolean isOutdated() {
        return status == CONFLICT || status == NOT_FOUND || status == GONE;
    }
}
