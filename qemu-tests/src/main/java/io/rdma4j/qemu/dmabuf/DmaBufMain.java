/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.qemu.guest.ResultWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Runs all claims about dma-bufs in the guest, in one JVM; reports with {@link ResultWriter}. */
public final class DmaBufMain {
    /** Slot of the device that VFIO gives out. */
    static final String EDU_SLOT = "11";

    private static final int TRACE = 12;

    private final ResultWriter results;

    private DmaBufMain(final ResultWriter results) {
        this.results = results;
    }

    /** One claim: returns what was seen, throws what was wrong. */
    private interface Claim {
        String check() throws IOException;
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out)) {
            new DmaBufMain(results).runAll();
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    private void runAll() {
        final DmaBufClaims claims = new DmaBufClaims();
        run("mapsWhatVgemExports", claims::maps);
        run("mappingAtAnOffset", claims::mappingAtAnOffset);
        run("isTheTargetOfAWrite", claims::write);
        run("isTheSourceOfARead", claims::read);
        run("isTheTargetOfAtomics", claims::atomics);
        run("sendsAndReceives", claims::messages);
        run("aPartAtAnOffset", claims::part);
        run("namedByItsOwnersAddresses", claims::iova);
        run("pagesAreLockedAsOthers", claims::mlock);
        run("exportedForReading", claims::readOnly);
        final LifetimeClaims lifetime = new LifetimeClaims();
        run("outlivesItsDescriptorAndItsCard", lifetime::descriptorAndCard);
        run("aHeldOneOutlivesItsClose", lifetime::held);
        run("refusesWhatIsNone", lifetime::refusals);
        run("leavesNothingBehind", lifetime::leaks);
        final FabricClaims fabric = new FabricClaims();
        run("fabricRegionByOffset", fabric::byOffset);
        run("fabricRegionByVirtualAddress", fabric::byVirtualAddress);
        run("fabricRegionByVirtualAddressOfNobody", fabric::byVirtualAddressOfNobody);
        run("fabricRegionByProviderKey", fabric::byProviderKey);
        run("fabricRegionAsDescriptor", fabric::descriptor);
        run("fabricRegionAsDescriptorByAnAddressOfNobody", fabric::descriptorOfNobody);
        run("fabricRegionAsDescriptorOfEachAuthorizationKey", fabric::descriptorOfEachKey);
        run("fabricRegionOutlivesItsFile", fabric::order);
        run("fabricRefusesWhatMakesNoSense", fabric::refusals);
        run("vfioDoesNotPinVgem", new VfioClaims()::vgem);
        if (UdmaBuf.isThere()) {
            run("udmabufIsATarget", claims::udmabuf);
            run("vfioAndUdmabuf", new VfioClaims()::udmabuf);
        } else {
            results.skip("udmabufIsATarget", "this kernel has no /dev/udmabuf (built without CONFIG_UDMABUF)");
        }
    }

    private void run(final String name, final Claim claim) {
        final long start = System.nanoTime();
        try {
            final String seen = claim.check();
            results.pass(name, seen + " (" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms)");
        } catch (final IOException | RuntimeException e) {
            results.fail(name, e + "\n" + Arrays.stream(e.getStackTrace()).limit(TRACE)
                .map(StackTraceElement::toString).collect(Collectors.joining("\n")));
        }
    }

    static String require(final boolean holds, final String format, final Object... args) {
        final String seen = String.format(Locale.ROOT, format, args);
        if (!holds) {
            throw new IllegalStateException(seen);
        }
        return seen;
    }
}
