import t from 'tap';
import { AddressGuard } from '../../../core/adapters/http/address-guard.js';

type Block = readonly [name: string, first: string, last: string];

/** IANA IPv4 Special-Purpose Address Registry: every block, with its first and last address. */
const ipv4: readonly Block[] = [
  ['This network', '0.0.0.0', '0.255.255.255'],
  ['Private-Use', '10.0.0.0', '10.255.255.255'],
  ['Shared Address Space', '100.64.0.0', '100.127.255.255'],
  ['Loopback', '127.0.0.0', '127.255.255.255'],
  ['Link Local', '169.254.0.0', '169.254.255.255'],
  ['Private-Use', '172.16.0.0', '172.31.255.255'],
  ['IETF Protocol Assignments', '192.0.0.0', '192.0.0.255'],
  ['IPv4 Service Continuity Prefix', '192.0.0.0', '192.0.0.7'],
  ['IPv4 dummy address', '192.0.0.8', '192.0.0.8'],
  ['Port Control Protocol Anycast', '192.0.0.9', '192.0.0.9'],
  ['TURN Anycast', '192.0.0.10', '192.0.0.10'],
  ['NAT64/DNS64 Discovery', '192.0.0.170', '192.0.0.171'],
  ['Documentation (TEST-NET-1)', '192.0.2.0', '192.0.2.255'],
  ['AS112-v4', '192.31.196.0', '192.31.196.255'],
  ['AMT', '192.52.193.0', '192.52.193.255'],
  ['Deprecated (6to4 Relay Anycast)', '192.88.99.0', '192.88.99.255'],
  ['Private-Use', '192.168.0.0', '192.168.255.255'],
  ['Direct Delegation AS112 Service', '192.175.48.0', '192.175.48.255'],
  ['Benchmarking', '198.18.0.0', '198.19.255.255'],
  ['Documentation (TEST-NET-2)', '198.51.100.0', '198.51.100.255'],
  ['Documentation (TEST-NET-3)', '203.0.113.0', '203.0.113.255'],
  ['Reserved', '240.0.0.0', '255.255.255.255'],
  ['Limited Broadcast', '255.255.255.255', '255.255.255.255'],
];

/** IANA IPv6 Special-Purpose Address Registry, likewise. IPv4-mapped addresses have a test of their own. */
const ipv6: readonly Block[] = [
  ['Loopback Address', '::1', '::1'],
  ['Unspecified Address', '::', '::'],
  ['IPv4-IPv6 Translation', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['IPv4-IPv6 Translation', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['Discard-Only Address Block', '100::', '100::ffff:ffff:ffff:ffff'],
  ['Dummy IPv6 Prefix', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['IETF Protocol Assignments', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['TEREDO', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Port Control Protocol Anycast', '2001:1::1', '2001:1::1'],
  ['TURN Anycast', '2001:1::2', '2001:1::2'],
  ['DNS-SD Service Registration Protocol Anycast', '2001:1::3', '2001:1::3'],
  ['Benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['AMT', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['AS112-v6', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['Deprecated (ORCHID)', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHIDv2', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Drone Remote ID Protocol Entity Tags', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Direct Delegation AS112 Service', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['Documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Segment Routing (SRv6) SIDs', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Unique-Local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Link-Local Unicast', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Not in the registries, and not public unicast addresses either. */
const others: readonly Block[] = [
  ['Multicast', '224.0.0.0', '239.255.255.255'],
  ['Multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['IPv4-compatible (RFC 4291, deprecated)', '::', '::ffff:ffff'],
  ['IPv4-translated (RFC 2765)', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['Site-local (RFC 3879, deprecated)', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

t.test('the guard blocks every range of the special-purpose address registries', async (t) => {
  const guard = new AddressGuard();
  for (const [name, first, last] of [...ipv4, ...ipv6, ...others]) {
    for (const address of [first, last]) t.notOk(guard.permits('connector.test', address), `${address} (${name})`);
  }
  for (const address of [
    '1.0.0.0',
    '192.31.195.255',
    '192.175.49.0',
    '223.255.255.255',
    '2001:200::',
    '2620:4f:8001::',
    '4000::',
    '5eff::',
  ])
    t.ok(guard.permits('connector.test', address), `${address} is next to a blocked range`);
});

t.test('an IPv4-mapped address is checked as its IPv4 address', async (t) => {
  const guard = new AddressGuard();
  for (const [name, first, last] of ipv4) {
    for (const address of [first, last]) t.notOk(guard.permits('connector.test', `::ffff:${address}`), `::ffff:${address} (${name})`);
  }
  t.ok(guard.permits('connector.test', '::ffff:1.1.1.1'));
});
