/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.testing.Misuse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIf;

import java.util.ArrayList;
import java.util.List;

/** On a library that notices what is used after it was destroyed: the real one would end the process. */
@EnabledIf("hasGcc")
class IbvMisuseTest extends Misuse {
    private final List<RdmaContext> opened = new ArrayList<>();

    static boolean hasGcc() {
        return Stub.isThere();
    }

    @Override
    protected RdmaContext open() {
        opened.add(Stub.open());
        return opened.get(opened.size() - 1);
    }

    @AfterEach
    void everythingIsGivenBack() {
        opened.forEach(RdmaContext::close);
        Stub.assertNothingIsLeft();
    }
}
