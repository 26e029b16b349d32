package io.edgeplug.cli;

import picocli.CommandLine.IVersionProvider;

/** Tells the option parser the version; the daemon, which needs it too, does without that parser. */
final class VersionOption implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {Version.text()};
    }
}
