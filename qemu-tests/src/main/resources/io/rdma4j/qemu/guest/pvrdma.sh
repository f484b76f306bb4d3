# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Linux' driver for the paravirtual RDMA device, on devices that another process serves; a part of guest.sh. Where the
# driver is stands before this. The network card at function 0 of a device's slot gives it its addresses.
# Only then the links: a link that is up is told to each device of the driver, and one that it has just begun to probe
# has no registers yet. With two devices the kernel oopses (Linux 6.1, pvrdma_main.c: pvrdma_netdevice_event_handle).
busybox insmod "$driver" || give_up "to load $driver"
number=0
devices=
for net in /sys/bus/pci/drivers/vmxnet3/*/net/*; do
    net=${net##*/}
    ip link set "$net" up && ip addr add "10.0.$((number + 2)).15/24" dev "$net" || give_up "to bring $net up"
    devices="$devices vmw_pvrdma$number"
    number=$((number + 1))
done
for device in $devices; do
    await_gid "$device"
done
