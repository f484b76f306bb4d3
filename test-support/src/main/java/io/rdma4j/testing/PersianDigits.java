/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.text.DecimalFormatSymbols;
import java.util.Locale;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test of text that programs read: it runs where numbers for people have digits that no program reads. For tests that
 * nothing runs beside.
 */
public final class PersianDigits implements BeforeEachCallback, AfterEachCallback {
    private static final Locale PERSIAN = Locale.forLanguageTag("fa-IR");

    private Locale before;

    /** As JUnit makes it. */
    public PersianDigits() {
        // Nothing to set up.
    }

    @Override
    public void beforeEach(final ExtensionContext context) {
        if (DecimalFormatSymbols.getInstance(PERSIAN).getZeroDigit() == '0') {
            throw new IllegalStateException("this JDK does not know the digits of " + PERSIAN);
        }
        before = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, PERSIAN);
    }

    @Override
    public void afterEach(final ExtensionContext context) {
        if (before != null) {
            Locale.setDefault(Locale.Category.FORMAT, before);
        }
    }
}
