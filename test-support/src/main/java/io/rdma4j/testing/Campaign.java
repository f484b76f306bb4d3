/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test that does something at random, and takes the seed. In every build it runs with the seeds that are kept: a few
 * small ones, and all that have ever found something. With {@code ./test.sh --campaign NAME} it runs with new ones
 * until the time is over, see {@link CampaignSeeds}. What a case does follows from its seed alone.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag(Campaign.TAG)
@ParameterizedTest(allowZeroInvocations = true)
@ArgumentsSource(CampaignSeeds.class)
public @interface Campaign {
    /** The tag of all of them. */
    String TAG = "campaign";

    /**
     * The campaign to which it belongs.
     *
     * @return such as {@code hostile-driver}.
     */
    String value();

    /**
     * How many seeds every build runs, from 1.
     *
     * @return 0 or more.
     */
    int usual() default 4;

    /**
     * What every build runs besides: seeds that have found something.
     *
     * @return none at first.
     */
    long[] kept() default {};
}
