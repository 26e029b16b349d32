package io.edgeplug.cli.options;

import picocli.CommandLine.IVersionProvider;

/** Gives the version to the option parser. The daemon needs the version too, but not the parser. */
public final class VersionOption implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {Version.text()};
    }
}
