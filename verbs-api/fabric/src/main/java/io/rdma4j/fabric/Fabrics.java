/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.RdmaException;
import io.rdma4j.base.JvmFlags;
import io.rdma4j.fabric.spi.FabricProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.agrona.UnsafeApi;

/** Where everything begins: what there is (fi_getinfo), and opening it (fi_fabric). Thread-safe. */
public final class Fabrics {
    /** The newest version of the interfaces that is known here: 2.0. */
    public static final int VERSION = 2 << 16;

    private static final int MOST = 0xffff;
    private static final String FIND = "find fabrics";
    private static final String OPEN = "open fabric";

    private Fabrics() {
    }

    /**
     * A version as one number (FI_VERSION).
     *
     * @param major from 0 to 65535.
     * @param minor from 0 to 65535.
     * @return major in the upper, minor in the lower 16 bits; to be compared as an unsigned number.
     * @throws FabricException FI_EINVAL if one is out of range or both are 0.
     */
    public static int version(final int major, final int minor) {
        if (major < 0 || major > MOST || minor < 0 || minor > MOST || major == 0 && minor == 0) {
            throw FabricException.of("make version").detail("%d.%d is none", major, minor).errno(FiErrno.FI_EINVAL)
                .hint("use numbers from 0 to 65535, such as 2 and 0").build();
        }
        return major << 16 | minor;
    }

    /**
     * What fits some hints (fi_getinfo). Devices are opened for a moment to see what they can do, but those whose
     * domains are open in this process, which are asked as they are; one that cannot be opened is left out.
     *
     * @param hints what is asked for.
     * @return what fits, best first; at least one.
     * @throws FabricException FI_EINVAL for null, for both an address and an open device, and for one that is closed;
     *                         FI_ENOSYS for a version that is newer than {@link #VERSION}; FI_ENODATA if nothing fits:
     *                         the message says what each device lacks; FI_EPERM if the JVM was started without the
     *                         flags that rdma4j needs, which the message has. Mode bits that do not go together, and
     *                         demanded ones that were not offered, fit no device.
     */
    public static List<FabricInfo> getInfo(final Hints hints) {
        final Survey survey = survey(hints);
        if (survey.found().isEmpty()) {
            throw FabricException.of(FIND)
                .detail("%s", survey.leftOut().isEmpty() ? "there are none" : String.join("; ", survey.leftOut()))
                .errno(FiErrno.FI_ENODATA)
                .hint(survey.unfit() ? "rdma4j fi_info -v tells what each device needs" : null).build();
        }
        return survey.found();
    }

    /**
     * What fits some hints, as {@link #getInfo}, and for everything else why it does not.
     *
     * @param hints what is asked for.
     * @return what fits, possibly nothing, and what does not.
     * @throws FabricException FI_EINVAL and FI_ENOSYS as {@link #getInfo}.
     */
    public static Survey survey(final Hints hints) {
        requireFlags();
        Arguments.notNull(FIND, "hints", hints);
        checkVersion(hints.apiVersion());
        final List<FabricInfo> found = new ArrayList<>();
        final List<String> leftOut = new ArrayList<>();
        boolean unfit = false;
        for (final FabricProvider provider : ServiceLoader.load(FabricProvider.class)) {
            final Survey survey = provider.survey(hints);
            found.addAll(survey.found());
            leftOut.addAll(survey.leftOut());
            unfit |= survey.unfit();
        }
        return new Survey(found, leftOut, unfit);
    }

    private static void requireFlags() {
        try {
            JvmFlags.require(FIND, UnsafeApi.class);
        } catch (final RdmaException e) {
            throw FabricException.from(FIND, e);
        }
    }

    private static void checkVersion(final int asked) {
        if (Integer.compareUnsigned(asked, VERSION) > 0) {
            throw FabricException.of(FIND)
                .detail("version %s is asked for, %s is the newest here", text(asked), text(VERSION))
                .errno(FiErrno.FI_ENOSYS).hint("ask for an older one").build();
        }
    }

    private static String text(final int version) {
        return (version >>> 16) + "." + (version & MOST);
    }

    /**
     * Looks at shared address vectors of this user from outside, without changing anything.
     *
     * @param name which, of whatever domain, with their addresses; null for all, without.
     * @return what there is, possibly nothing; also files that cannot be read, with the reason.
     * @throws FabricException FI_EACCES if the folder of vectors belongs to others, FI_EIO.
     */
    public static List<SharedVector> sharedVectors(final String name) {
        final List<SharedVector> found = new ArrayList<>();
        for (final FabricProvider provider : ServiceLoader.load(FabricProvider.class)) {
            found.addAll(provider.sharedVectors(name));
        }
        return found;
    }

    /**
     * Opens a fabric (fi_fabric).
     *
     * @param info one of {@link #getInfo}.
     * @return the fabric; the caller owns it.
     * @throws FabricException FI_EINVAL for null or an info that no provider here has made.
     */
    public static Fabric open(final FabricInfo info) {
        Arguments.notNull(OPEN, "info", info);
        for (final FabricProvider provider : ServiceLoader.load(FabricProvider.class)) {
            if (provider.made(info)) {
                return provider.open(info);
            }
        }
        throw FabricException.of(OPEN)
            .detail("no provider on the class path has made this info of %s", info.getClass().getName())
            .errno(FiErrno.FI_EINVAL).hint("use one that Fabrics.getInfo returned").build();
    }
}
