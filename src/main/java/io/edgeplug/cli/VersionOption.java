package io.edgeplug.cli;

import java.io.IOException;
import picocli.CommandLine.IVersionProvider;

/** Tells the option parser the version; the daemon, which needs it too, does without that parser. */
final class VersionOption implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {Version.text()};
    }
}
