package io.edgeplug.api.dra;

import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One reading of a kubeconfig and of the files that it names. */
final class KubeconfigReading {

    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_PORT = 65_535;
    private static final Pattern TOKEN = Pattern.compile("[!-~]+");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.:-]{1,253}");

    private final Path file;
    private final @Nullable Sysfs node;
    private final FileStamps stamps = new FileStamps();

    /**
     * Reads nothing yet.
     *
     * @param node the node that is inspected from outside, so that all paths are as it sees them; null for this node
     */
    KubeconfigReading(Path file, @Nullable Sysfs node) {
        this.file = file;
        this.node = node;
    }

    /** The files that were read, or that could not be. If one of them changes, another reading may end otherwise. */
    FileStamps stamps() {
        return stamps;
    }

    /**
     * Reads.
     *
     * @throws IOException if it does not say what is needed; the message names the file
     */
    Kubeconfig read() throws IOException {
        Map<?, ?> root = yaml();
        Map<?, ?> context = named(root, "contexts", "context", text(root, "current-context"));
        Map<?, ?> cluster = named(root, "clusters", "cluster", text(context, "cluster"));
        Map<?, ?> user = named(root, "users", "user", text(context, "user"));
        URI server = server(text(cluster, "server"));
        if (cluster.containsKey("proxy-url")) {
            throw problem("asks for a proxy, through which edgeplug cannot speak with the API server");
        }
        if (Boolean.TRUE.equals(cluster.get("insecure-skip-tls-verify"))) {
            throw problem("has insecure-skip-tls-verify; name the certificate-authority instead");
        }
        String authorities =
                content(cluster, "certificate-authority").orElseThrow(() -> problem("names no certificate-authority"));
        Optional<Kubeconfig.Client> client = client(user);
        Optional<String> token = token(user);
        if (client.isEmpty() && token.isEmpty()) {
            throw problem("names neither a client-certificate nor a token; edgeplug runs no exec or auth-provider");
        }
        String host = Kubeconfig.host(server);
        return new Kubeconfig(
                server, certificates(authorities), tlsName(cluster).orElse(host), client, token);
    }

    private Map<?, ?> yaml() throws IOException {
        String text = contentOf(file);
        try {
            return PlainYaml.read(text) instanceof Map<?, ?> map ? map : Map.of();
        } catch (IOException e) {
            throw problem(String.valueOf(e.getMessage()));
        }
    }

    private Map<?, ?> named(Map<?, ?> root, String list, String what, String name) throws IOException {
        if (root.get(list) instanceof List<?> all) {
            for (Object one : all) {
                if (one instanceof Map<?, ?> map
                        && name.equals(map.get("name"))
                        && map.get(what) instanceof Map<?, ?> found) {
                    return found;
                }
            }
        }
        throw problem("has no " + what + " of the name " + name);
    }

    private Optional<String> token(Map<?, ?> user) throws IOException {
        Optional<String> token = optional(user, "token");
        if (token.isEmpty() && optional(user, "tokenFile").isPresent()) {
            token = Optional.of(contentOf(text(user, "tokenFile")).strip());
        }
        // It becomes a part of a header. The message does not quote it.
        if (token.filter(one -> !TOKEN.matcher(one).matches()).isPresent()) {
            throw problem("its token has a space, a line break or another character that no token has");
        }
        return token;
    }

    private Optional<Kubeconfig.Client> client(Map<?, ?> user) throws IOException {
        Optional<String> chain = content(user, "client-certificate");
        Optional<String> key = content(user, "client-key");
        if (chain.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Kubeconfig.Client(Pem.certificates(chain.orElseThrow()), Pem.key(key.orElseThrow())));
        } catch (IOException e) {
            throw problem("its client certificate " + e.getMessage());
        }
    }

    private List<X509Certificate> certificates(String pem) throws IOException {
        try {
            return Pem.certificates(pem);
        } catch (IOException e) {
            throw problem("its certificate-authority " + e.getMessage());
        }
    }

    private Optional<String> tlsName(Map<?, ?> cluster) throws IOException {
        Optional<String> name = optional(cluster, "tls-server-name");
        if (name.filter(one -> !HOST.matcher(one).matches()).isPresent()) {
            throw problem("its tls-server-name is no name of a host");
        }
        return name;
    }

    /** The content of the file that the key names, or of {@code NAME-data} in the kubeconfig itself. */
    private Optional<String> content(Map<?, ?> map, String key) throws IOException {
        Optional<String> data = optional(map, key + "-data");
        if (data.isPresent()) {
            try {
                return Optional.of(
                        new String(Base64.getDecoder().decode(data.orElseThrow()), StandardCharsets.US_ASCII));
            } catch (IllegalArgumentException e) {
                throw problem("its " + key + "-data is not base64");
            }
        }
        Optional<String> path = optional(map, key);
        return path.isEmpty() ? Optional.empty() : Optional.of(contentOf(path.orElseThrow()));
    }

    private String contentOf(String path) throws IOException {
        try {
            return contentOf(file.resolveSibling(path));
        } catch (InvalidPathException e) {
            throw problem("names a file whose path has a character that none has");
        }
    }

    private String contentOf(Path path) throws IOException {
        stamps.note(path);
        try (InputStream in = ForeignFile.open(place(path), MAX_BYTES)) {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new IOException(path + ": no such file", e);
        } catch (IOException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /** The file's path for this process. An absolute link, such as the kubelet's, leads to a file of the node. */
    private Path place(Path path) throws IOException {
        if (node == null) {
            return path;
        }
        return ForeignFile.near(node.locate(Kubeconfig.relative(path)), node.locate(""));
    }

    /** The message does not quote an address that is none, because it may have a password. */
    private URI server(String text) throws IOException {
        URI server;
        try {
            server = new URI(text);
        } catch (URISyntaxException e) {
            throw problem("its server is no address, at character " + (e.getIndex() + 1));
        }
        if (!"https".equals(server.getScheme()) || server.getHost() == null) {
            throw problem("its server is no https address with a host");
        }
        if (server.getPort() == 0 || server.getPort() > MAX_PORT) {
            throw problem("its server has the port " + server.getPort() + ", which is none");
        }
        return server;
    }

    private String text(Map<?, ?> map, String key) throws IOException {
        return optional(map, key).orElseThrow(() -> problem("does not say " + key));
    }

    private static Optional<String> optional(Map<?, ?> map, String key) {
        return map.get(key) instanceof String text && !text.isBlank() ? Optional.of(text) : Optional.empty();
    }

    private IOException problem(String what) {
        return new IOException(file + ": " + what);
    }
}
