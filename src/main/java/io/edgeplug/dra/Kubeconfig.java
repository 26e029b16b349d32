package io.edgeplug.dra;

import io.edgeplug.linux.ForeignFile;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The address of the API server and the identity for it, as a kubeconfig and the files that it names say now.
 *
 * @param server its address, {@code https} only
 * @param authorities the authorities that sign its certificate
 * @param tlsName the name that its certificate must be for
 * @param client the certificate of this side, and its key
 * @param token the token of an identity without a certificate
 * @param stamps by path, a value that changes when the file changes
 */
record Kubeconfig(
        URI server,
        List<X509Certificate> authorities,
        String tlsName,
        Optional<Client> client,
        Optional<String> token,
        Map<Path, Object> stamps) {

    /** The usual files of kubelets: kubeadm, K3s, RKE2 and k0s. */
    private static final List<Path> OF_KUBELETS = List.of(
            Path.of("/etc/kubernetes/kubelet.conf"),
            Path.of("/var/lib/rancher/k3s/agent/kubelet.kubeconfig"),
            Path.of("/var/lib/rancher/rke2/agent/kubelet.kubeconfig"),
            Path.of("/var/lib/k0s/kubelet.conf"));

    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_LINKS = 40;
    private static final int HTTPS = 443;
    private static final Pattern NODE = Pattern.compile("(?:^|,)CN=system:node:([a-z0-9.-]+)(?:,|$)");

    Kubeconfig {
        authorities = List.copyOf(authorities);
        stamps = Map.copyOf(stamps);
    }

    /** A certificate with those that sign it, and its key. */
    record Client(List<X509Certificate> chain, PrivateKey key) {

        Client {
            chain = List.copyOf(chain);
        }
    }

    /** The kubelet's own. If no usual file exists, that of kubeadm, which may come later. */
    static Path ofKubelet() {
        return OF_KUBELETS.stream().filter(Files::exists).findFirst().orElse(OF_KUBELETS.getFirst());
    }

    /** The same for a node that is inspected from outside. */
    static Path ofKubelet(Sysfs node) throws IOException {
        for (Path one : OF_KUBELETS) {
            if (node.exists(relative(one))) {
                return one;
            }
        }
        return OF_KUBELETS.getFirst();
    }

    private static String relative(Path path) {
        return path.toString().substring(1);
    }

    /**
     * Reads a kubeconfig and the files that it names.
     *
     * @throws IOException if it does not say what is needed; the message names the file
     */
    static Kubeconfig read(Path file) throws IOException {
        return new Reading(file, Optional.empty()).read();
    }

    /** The same for a node that is inspected from outside. All paths are as that node sees them. */
    static Kubeconfig read(Path file, Sysfs node) throws IOException {
        return new Reading(file, Optional.of(node)).read();
    }

    /** Whether no file has changed since it was read. */
    boolean isCurrent() {
        return stamps.entrySet().stream().allMatch(one -> one.getValue().equals(stamp(one.getKey())));
    }

    /** The name of the node that has this identity. */
    Optional<String> nodeName() {
        return client.map(one -> NODE.matcher(
                        one.chain().getFirst().getSubjectX500Principal().getName()))
                .filter(Matcher::find)
                .map(found -> found.group(1));
    }

    int port() {
        return server.getPort() < 0 ? HTTPS : server.getPort();
    }

    /** The host, without the brackets of an IPv6 address. */
    String host() {
        return server.getHost().replaceAll("[\\[\\]]", "");
    }

    private static Object stamp(Path file) {
        try {
            // A link counts as the file that it leads to, because a rotation makes it lead to another one.
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return List.of(String.valueOf(found.fileKey()), found.lastModifiedTime(), found.size());
        } catch (IOException e) {
            return "missing";
        }
    }

    /** One reading of a kubeconfig. */
    private static final class Reading {

        private final Path file;
        private final Optional<Sysfs> node;
        private final Map<Path, Object> stamps = new HashMap<>();

        Reading(Path file, Optional<Sysfs> node) {
            this.file = file;
            this.node = node;
        }

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
            String authorities = content(cluster, "certificate-authority")
                    .orElseThrow(() -> problem("names no certificate-authority"));
            Optional<Client> client = client(user);
            Optional<String> token = optional(user, "token");
            if (token.isEmpty() && optional(user, "tokenFile").isPresent()) {
                token = Optional.of(contentOf(text(user, "tokenFile")).strip());
            }
            if (client.isEmpty() && token.isEmpty()) {
                throw problem("names neither a client-certificate nor a token; edgeplug runs no exec or auth-provider");
            }
            String host = server.getHost().replaceAll("[\\[\\]]", "");
            return new Kubeconfig(
                    server,
                    certificates(authorities),
                    optional(cluster, "tls-server-name").orElse(host),
                    client,
                    token,
                    stamps);
        }

        private Map<?, ?> yaml() throws IOException {
            LoadSettings settings = LoadSettings.builder()
                    .setCodePointLimit(MAX_BYTES)
                    .setMaxAliasesForCollections(1)
                    .build();
            try {
                return new Load(settings).loadFromString(contentOf(file)) instanceof Map<?, ?> map ? map : Map.of();
            } catch (YamlEngineException e) {
                throw problem("is not YAML: "
                        + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
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

        private Optional<Client> client(Map<?, ?> user) throws IOException {
            Optional<String> chain = content(user, "client-certificate");
            Optional<String> key = content(user, "client-key");
            if (chain.isEmpty() || key.isEmpty()) {
                return Optional.empty();
            }
            try {
                return Optional.of(new Client(Pem.certificates(chain.orElseThrow()), Pem.key(key.orElseThrow())));
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
            return contentOf(file.resolveSibling(path));
        }

        private String contentOf(Path path) throws IOException {
            // The stamp is taken before the file is read, so that a change in between is seen.
            stamps.put(path, stamp(path));
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
            if (node.isEmpty()) {
                return path;
            }
            Path at = path;
            Optional<String> target = node.orElseThrow().linkTarget(relative(at));
            for (int links = 0; target.isPresent() && links < MAX_LINKS; links++) {
                at = at.resolveSibling(target.orElseThrow()).normalize();
                target = node.orElseThrow().linkTarget(relative(at));
            }
            return node.orElseThrow().locate(relative(at));
        }

        private URI server(String text) throws IOException {
            try {
                URI server = new URI(text);
                if ("https".equals(server.getScheme()) && server.getHost() != null) {
                    return server;
                }
            } catch (URISyntaxException e) {
                // The error below names this server.
            }
            throw problem("its server " + text + " is no https address");
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
}
