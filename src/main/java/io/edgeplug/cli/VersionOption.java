package io.edgeplug.cli;

import picocli.CommandLine.IVersionProvider;

/** Gives the version to the option parser. The daemon needs the version too, but not the parser. */
final class VersionOption implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {Version.text()};
    }
}
