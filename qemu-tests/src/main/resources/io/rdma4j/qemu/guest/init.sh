#!/bin/busybox sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# First process of the fabric guest: from the initial root file system to the host's root, read-only below a layer of
# memory, with the writable share at /run/guest-share.
busybox=/bin/busybox

give_up() {
    echo "rdma4j-guest: FAILED $*"
    $busybox poweroff -f
}

$busybox mkdir -p /proc /sys /dev /host /layer /root
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sysfs /sys
$busybox mount -t devtmpfs devtmpfs /dev

# Numbered in the order in which they load.
for module in /modules/*; do
    $busybox insmod "$module" || give_up "to load $module"
done

nine="trans=virtio,version=9p2000.L,msize=512000"
$busybox mount -t 9p -o "$nine,cache=loose,ro" hostroot /host || give_up "to mount the host's root"
$busybox mount -t tmpfs tmpfs /layer
$busybox mkdir /layer/upper /layer/work
$busybox mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work overlay /root \
    || give_up "to lay memory over the host's root"

for tree in proc sys dev; do
    $busybox mount --move /$tree /root/$tree || give_up "to move /$tree"
done
$busybox mkdir -p /root/dev/shm /root/dev/pts
$busybox mount -t tmpfs tmpfs /root/dev/shm
$busybox mount -t devpts devpts /root/dev/pts
$busybox mount -t tmpfs tmpfs /root/run
$busybox mkdir /root/run/guest-share
# cache=none: both sides see at once what the other writes.
$busybox mount -t 9p -o "$nine,cache=none" share /root/run/guest-share || give_up "to mount the share"

exec $busybox switch_root /root "$($busybox cat /etc/busybox)" sh /run/guest-share/guest.sh
