#!/bin/busybox sh
# First process of the inner guest. It gets everything ready that needs no RDMA device, and waits: the machine's state
# is saved then, and goes on in the fabric guest, where the device is. Lines that begin with "inner:" are for the harness.
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /usr
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
say() { echo "inner: $*"; }
now() { cut -d' ' -f1 /proc/uptime; }
give_up() { say "FAILED $*"; poweroff -f; }

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p -m 1777 /dev/shm /tmp /run/inner
chmod 1777 /dev/shm /tmp /run/inner
# Name services are on loopback.
ip link set lo up

# Numbered in the order in which they load.
for module in /modules/*; do
    insmod "$module" || give_up "to load $module"
done

# to_vfio ADDRESS: binds a function to vfio-pci.
to_vfio() {
    echo vfio-pci > /sys/bus/pci/devices/$1/driver_override && echo $1 > /sys/bus/pci/drivers_probe
    [ -e /sys/bus/pci/drivers/vfio-pci/$1 ] || give_up "to bind $1 to vfio-pci"
}

network=0000:00:10.0
device=0000:00:10.1
# The stand-in for the device.
echo 1 > /sys/bus/pci/devices/$device/remove
to_vfio $network
# Both functions are in one group; its file is all that the user needs.
chown rdma /dev/vfio/[0-9]*
say "BOOTED after $(now) s: $(uname -r)"

# await_ready STATION SECONDS: one after the other, since only one can have the neighbour open.
await_ready() {
    tries=0
    until [ -e /run/inner/$1.ready ]; do
        tries=$((tries + 1))
        [ $tries -lt $(($2 * 5)) ] || give_up "to start station $1"
        sleep 0.2
    done
    say "READY $1 after $(now) s"
}
. /etc/stations.sh

# What is free now holds old bytes, which would be saved and loaded like any others.
dd if=/dev/zero of=/zeros bs=1M 2>/dev/null
rm /zeros
stty -F /dev/ttyS1 raw -echo
exec 3< /dev/ttyS1
say "PREPARED after $(now) s"

# The first line comes when the machine goes on.
read -r line <&3
say "RESUMED at $(now) s"
echo 1 > /sys/bus/pci/rescan
[ -e /sys/bus/pci/devices/$device ] || give_up "to find $device"
to_vfio $device
# A shell for people, on the third serial line.
( while :; do setsid getty -n -L -l /bin/sh 115200 ttyS2 dumb; sleep 1; done ) >/dev/null 2>&1 &
say "BOUND at $(now) s: $(echo /dev/vfio/*)"

while read -r line <&3; do
    eval "$line"
    say "DONE $?"
done
poweroff -f
