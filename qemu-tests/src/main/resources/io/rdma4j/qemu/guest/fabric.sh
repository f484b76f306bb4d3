# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# The software RDMA device of the fabric guest; a part of guest.sh. Names and addresses stand before this.
# Its other end is in a network namespace of its own: another host, for all that the two know.
ip netns add "$peer_netns" && ip link add "$netdev" type veth peer name "$netdev" netns "$peer_netns" \
    && ip link set "$netdev" up && ip addr add "$ip_address/24" dev "$netdev" \
    && ip -n "$peer_netns" addr add "$peer_address/24" dev "$netdev" \
    && ip -n "$peer_netns" link set "$netdev" up && ip -n "$peer_netns" link set lo up \
    || give_up "to make network device $netdev"
rdma link add "$ibdev" type rxe netdev "$netdev" || give_up "to make RDMA device $ibdev"
await_gid "$ibdev"
devices="$ibdev on $netdev, GID $(cat "$gid")"
