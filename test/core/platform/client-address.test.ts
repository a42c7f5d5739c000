import t from 'tap';
import { createPlatform, definePlugin, object, route, string } from '#core';
import { startPlatform } from '#core/testing';
import { clientAddresses } from '../../../core/platform/client-address.js';

t.test('the header counts from the right, as long as trusted proxies have written it', async (t) => {
  const of = clientAddresses(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.1']);
  const all: readonly (readonly [peer: string, forwarded: string | undefined, client: string])[] = [
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1,10.2.3.4 , 192.0.2.1', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['2001:db8:1::7', '2001:db8:2::9', '2001:db8:2::9'],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8:2::9]:4711, [2001:db8:1::1]', '2001:db8:2::9'],
    ['fe80::1%eth0', '198.51.100.1', 'fe80::1%eth0'],
    ...['unknown', '_hidden', '999.1.1.1', '[::1', '1.2.3.4:x', 'a'.repeat(20_000), ','.repeat(5_000), '\0', '[]', ':'].map(
      (garbage) => ['10.0.0.1', `6.6.6.6, ${garbage}`, '10.0.0.1'] as const,
    ),
    ['10.0.0.1', 'garbage, 198.51.100.1', '198.51.100.1'],
    ['', '198.51.100.1', ''],
  ];
  for (const [peer, forwarded, client] of all) t.equal(of(peer, forwarded), client, `${peer} ${forwarded?.slice(0, 50)}`);
  t.equal(clientAddresses([])('127.0.0.1', '198.51.100.1'), '127.0.0.1', 'without the option no proxy is trusted');
});

t.test('a limit by address holds for each client behind a proxy, and a client cannot choose its address', async (t) => {
  const counted = definePlugin({
    name: 'counted',
    version: '1.0.0',
    register({ callLimit, clientAddress }) {
      const limit = callLimit({ name: 'visits', calls: 1 });
      return {
        routes: [
          route({
            method: 'GET',
            path: '/counted',
            summary: 'Counts a visit.',
            auth: 'none',
            bucket: 'none',
            responses: { 200: object({ from: string() }) },
            errors: [429],
            handler({ request }) {
              limit.count(clientAddress(request));
              return { from: clientAddress(request) };
            },
          }),
        ],
      };
    },
  });
  const test = await startPlatform(t, { plugins: [counted()], trustedProxies: ['10.0.0.0/8'] });
  const visit = async (peer: string, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded };
    return (await test.server.inject({ url: '/counted', headers, remoteAddress: peer })).statusCode;
  };
  t.equal(await visit('10.0.0.1', '198.51.100.1'), 200);
  t.equal(await visit('10.0.0.1', '198.51.100.2'), 200);
  t.equal(await visit('10.0.0.2', '6.6.6.6, 198.51.100.1'), 429);
  t.equal(await visit('203.0.113.9', '198.51.100.3'), 200);
  t.equal(await visit('203.0.113.9', '198.51.100.4'), 429, 'the header of an address that is no proxy does not count');
});

t.test('what is not an address or a range is refused at the start', async (t) => {
  for (const wrong of ['10.0.0.0/33', 'proxy.example', '10.0.0', '::1/129', ''])
    t.throws(() => createPlatform({ plugins: [], trustedProxies: [wrong] }), { message: /"trustedProxies\[0\]"/ }, wrong);
  createPlatform({ plugins: [], trustedProxies: ['::1', '127.0.0.1/8', '::ffff:10.0.0.0/104', 'fd00::/8'] });
});
