/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Asks nodes, several at a time, so that one that does not answer delays no others. */
final class NodeQuestions {
    private static final Executor HELPERS = DaemonThreads.pool("rdma4j-resolve", 16, 1);
    private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final EndpointType kind;
    private final Resolution[] results;
    private final long deadline;
    private AddressFormat format;

    NodeQuestions(final EndpointType kind, final Resolution[] results, final long deadline) {
        this.kind = kind;
        this.results = results;
        this.deadline = deadline;
    }

    /** Addresses to be inserted are not given, but come of the nodes, in this format. */
    NodeQuestions inserting(final AddressFormat newFormat) {
        format = newFormat;
        return this;
    }

    void ask(final List<NodeQuestion> nodes) {
        if (nodes.size() == 1) {
            take(nodes.get(0), answer(nodes.get(0)));
            return;
        }
        final List<FutureTask<Resolution[]>> tasks =
            nodes.stream().map(node -> new FutureTask<>(() -> answer(node))).collect(Collectors.toList());
        tasks.forEach(HELPERS::execute);
        for (int i = 0; i < tasks.size(); i++) {
            take(nodes.get(i), await(tasks.get(i), nodes.get(i)));
        }
    }

    private Resolution[] await(final FutureTask<Resolution[]> task, final NodeQuestion node) {
        try {
            final long left = deadline + SLACK_NANOS - System.nanoTime();
            return task.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (final TimeoutException e) {
            task.cancel(true);
            return failed(node, failure(FiErrno.FI_ETIMEDOUT, "there was no answer in time"));
        } catch (final InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            return failed(node, failure(FiErrno.FI_EINTR, "this thread was interrupted"));
        } catch (final ExecutionException e) {
            return failed(node, failure(FiErrno.FI_EIO, String.valueOf(e.getCause())));
        }
    }

    private void take(final NodeQuestion node, final Resolution[] answers) {
        for (int i = 0; i < answers.length; i++) {
            results[node.items().get(i).index()] = answers[i];
        }
    }

    private Resolution[] answer(final NodeQuestion question) {
        final InetAddress node;
        try {
            node = question.node();
        } catch (final FabricException e) {
            return failed(question, e);
        }
        try {
            return answers(question, node);
        } catch (final FabricException e) {
            return question.items().stream().map(item -> Resolution.failed(inserted(item, node, null), e))
                .toArray(Resolution[]::new);
        }
    }

    private Resolution[] answers(final NodeQuestion question, final InetAddress node) {
        final FabricAddress[] found = new NameQuery(node, NameSettings.now(), question.services(), deadline).ask();
        final Resolution[] answers = new Resolution[found.length];
        for (int i = 0; i < found.length; i++) {
            answers[i] = answer(question.items().get(i), node, found[i]);
        }
        return answers;
    }

    private Resolution answer(final NodeQuestion.Item item, final InetAddress node, final FabricAddress found) {
        final FabricAddress inserted = inserted(item, node, found);
        if (found == null) {
            return Resolution.failed(inserted, NameFailures.of(NameFailures.RESOLVE, FiErrno.FI_ENODATA,
                "it is known as long as it is open there", "%s has no endpoint with service %d",
                node.getHostAddress(), item.service()));
        }
        try {
            return Resolution.of(inserted, ofKind(found, kind));
        } catch (final FabricException e) {
            return Resolution.failed(inserted, e);
        }
    }

    private FabricAddress inserted(
        final NodeQuestion.Item item, final InetAddress node, final FabricAddress found) {
        if (item.inserted() != null || format == AddressFormat.DEVICE) {
            return item.inserted() != null ? item.inserted() : found;
        }
        final FabricAddress socket = FabricAddress.socket(new InetSocketAddress(node, item.service()));
        if (format == AddressFormat.STR) {
            return FabricAddress.text(socket.toString());
        }
        final boolean isMapped = format == AddressFormat.SOCKADDR_IN6 && socket.format() == AddressFormat.SOCKADDR_IN;
        return isMapped ? FabricAddress.parse(
            "fi_sockaddr_in6://[::ffff:" + node.getHostAddress() + "]:" + item.service()) : socket;
    }

    private static Resolution[] failed(final NodeQuestion question, final FabricException failure) {
        return question.items().stream().map(item -> Resolution.failed(item.inserted(), failure))
            .toArray(Resolution[]::new);
    }

    static FabricAddress ofKind(final FabricAddress device, final EndpointType kind) {
        if (kind != null && device.kind() != kind) {
            throw NameFailures.of(NameFailures.RESOLVE, FiErrno.FI_EINVAL, "ask for endpoints of the same kind at both "
                + "ends", "%s is an endpoint of another kind than %s", device, kind);
        }
        return device;
    }

    private static FabricException failure(final int errno, final String why) {
        return NameFailures.of(NameFailures.RESOLVE, errno, "see " + NameSettings.TIMEOUT, "%s", why);
    }
}
