/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.rdma4j.driver.sysfs.PageMap;
import io.rdma4j.hw.pvrdma.Pdir;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;

/** Rings whose pages lie side by side in the process, and without an IOMMU anywhere for the device. */
class PageTablesTest {
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final long RING = 0x1_0000;
    private static final long REST = 0x5_0000;
    private static final long TABLES = 0x9_0000;
    private static final long ADDRESS = 0x7000_0000;

    private static String ring(final long... pages) {
        final ScriptedView view = new ScriptedView().memory(RING, ADDRESS, new byte[PAGE])
            .memory(REST, ADDRESS + PAGE, new byte[2 * PAGE]);
        ScriptedRings.tables(view, TABLES, pages);
        final JsonObject json = new JsonObject();
        json.addProperty("pdir_dma", "0x90000");
        try (PageMap map = new PageMap(Path.of("/nowhere/pagemap"), PAGE)) {
            new PageTables(view, map).addRing(json, TABLES, RING, (long) pages.length * PAGE);
        }
        return json.toString();
    }

    @Test
    void aRingMayLieInPieces() {
        assertThat(ring(RING, REST, REST + PAGE)).doesNotContain("invalid", "is not where");
    }

    @Test
    void aPageThatIsSomewhereElseIsTold() {
        assertThat(ring(RING, REST, REST)).contains("page 2 is not where the driver has the ring");
        assertThat(ring(REST, REST, REST + PAGE)).contains("page 0 is not where the driver has the ring");
        assertThat(ring(RING, REST, REST + PAGE, REST + 2 * PAGE)).contains("page 1 is not where");
    }
}
