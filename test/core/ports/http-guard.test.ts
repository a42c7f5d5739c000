import t from 'tap';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import { AddressGuard } from '../../../core/adapters/http/address-guard.js';
import type { Lookup } from '../../../core/adapters/http/name-lookup.js';
import { type TargetOptions, TargetRules } from '../../../core/adapters/http/target-rules.js';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import type { HttpOutcome } from '../../../core/ports/http-client.js';
import type { Tap } from '../../../core/testing/tap.js';
import { receive, respond } from './receiver.js';

const barred = [
  ['this network', '0.0.0.0', '0.1.2.3'],
  ['private', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ['shared by carriers', '100.64.0.1', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::'],
  ['link-local, with the metadata of clouds', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  [
    'reserved',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
    '2001:db8::1',
    '100::1',
  ],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['private, in version 6', 'fc00::1', 'fd12:3456::1', 'fd00:ec2::254', 'fec0::1'],
  [
    'version 4 in version 6',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '192.88.99.1',
  ],
  ['no address at all', '', 'localhost', '1.2.3', '1.2.3.4.5'],
] as const;

const open = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.1.1',
  '192.169.1.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:1.1.1.1',
];

t.test('a guard that allows nothing', async (t) => {
  const guard = new AddressGuard();
  for (const [what, ...addresses] of barred) {
    await t.test(`blocks addresses: ${what}`, async (t) => {
      for (const address of addresses) t.notOk(guard.permits('connector.test', address), JSON.stringify(address));
    });
  }

  await t.test('permits public addresses', async (t) => {
    for (const address of open) t.ok(guard.permits('connector.test', address), address);
  });
});

t.test('a guard', async (t) => {
  await t.test('allows ranges and single addresses', async (t) => {
    const guard = new AddressGuard(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32']);
    for (const address of ['10.1.0.1', '10.1.255.255', '192.168.7.7', 'fd00:1::5']) t.ok(guard.permits('a.test', address), address);
    for (const address of ['10.2.0.1', '192.168.7.8', 'fd00:2::5', '127.0.0.1']) t.notOk(guard.permits('a.test', address), address);
  });

  await t.test('allows loopback and link-local addresses only by ranges of their own', async (t) => {
    const everything = new AddressGuard(['0.0.0.0/0', '::/0']);
    for (const address of ['10.0.0.1', '224.0.0.1', 'fd00::1']) t.ok(everything.permits('a.test', address), address);
    for (const address of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '::1', 'fe80::1'])
      t.notOk(everything.permits('a.test', address), address);
    const loopback = new AddressGuard(['127.0.0.0/8', '::1']);
    for (const address of ['127.0.0.1', '127.5.5.5', '::1']) t.ok(loopback.permits('a.test', address), address);
    t.notOk(loopback.permits('a.test', '169.254.169.254'));
    t.ok(new AddressGuard(['169.254.10.0/24']).permits('a.test', '169.254.10.1'));
  });

  await t.test('allows hosts at any address except link-local ones', async (t) => {
    const guard = new AddressGuard(['Connector.Internal', 'localhost']);
    for (const address of ['10.0.0.1', '127.0.0.1', '::1', '1.1.1.1']) t.ok(guard.permits('connector.internal', address), address);
    t.ok(guard.permits('CONNECTOR.internal.', '10.0.0.1'));
    t.notOk(guard.permits('connector.internal', '169.254.169.254'));
    t.notOk(guard.permits('other.internal', '10.0.0.1'));
    t.notOk(guard.permits('connector.internal.evil.test', '10.0.0.1'));
    t.ok(guard.permits('localhost', '127.0.0.1'));
  });

  await t.test('refuses an invalid allow entry', async (t) => {
    for (const entry of ['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', 'a.test/8', '::/129', '10.0.0.0/-1', '10.0.0.0/1.5', '']) {
      t.throws(() => new AddressGuard([entry]), /is not an IP address, a range/, entry);
    }
  });
});

t.test('rules may allow only https: and only some ports', async (t) => {
  const cases: [rules: TargetOptions, url: string, refusal: RegExp | undefined][] = [
    [{}, 'https://connector.test/', undefined],
    [{}, 'http://connector.test:8080/', undefined],
    [{}, 'http://10.0.0.1/', / a loopback or private address/],
    [{ guard: false }, 'http://10.0.0.1/', undefined],
    [{}, 'ftp://connector.test/', /must begin with http: or https:/],
    [{}, 'https://user:word@connector.test/', /a user name or a password/],
    [{}, 'connector.test', /not valid/],
    [{ httpsOnly: true }, 'http://connector.test/', /only https: is allowed/],
    [{ httpsOnly: true }, 'https://connector.test:8443/', undefined],
    [{ ports: [443] }, 'https://connector.test/', undefined],
    [{ ports: [443] }, 'https://connector.test:8443/', /port 8443, which is not allowed/],
    [{ ports: [443] }, 'http://connector.test/', /port 80, which is not allowed/],
    [{ ports: [443, 8443] }, 'https://connector.test:8443/', undefined],
  ];
  for (const [options, url, refusal] of cases) {
    const rules = new TargetRules(options);
    const said = rules.refusal(url);
    const what = `${url} ${JSON.stringify(options)}`;
    if (!refusal) {
      t.equal(said, undefined, what);
      continue;
    }
    t.match(said, refusal, what);
    const client = new UndiciClient({ clock: new RealClock({ onError: (error) => t.fail(String(error)) }), rules });
    t.match(await client.send({ method: 'POST', url, deadlineMs: 1000, maxResponseBytes: 10 }), { permanent: true, reason: said }, what);
    await client.stop();
  }
});

t.test('a guarded client', async (t) => {
  const guarded = (t: Tap, lookup: Lookup, allow: string[] = []) => {
    const client = new UndiciClient({ clock: new RealClock({ onError: (error) => t.fail(String(error)) }), guard: { allow }, lookup });
    t.teardown(() => client.stop());
    return (url: string) => client.send({ method: 'POST', url, deadlineMs: 5000, maxResponseBytes: 1000 });
  };
  const never: Lookup = () => Promise.reject(new Error('an address is not looked up'));
  const blocked = { kind: 'unreachable', permanent: true, code: 'BLOCKED_ADDRESS', reason: / a loopback or private address/ };

  await t.test('is guarded by default', async (t) => {
    const client = new UndiciClient({ clock: new RealClock({ onError: (error) => t.fail(String(error)) }) });
    t.teardown(() => client.stop());
    t.match(await client.send({ method: 'POST', url: 'http://127.0.0.1:1/', deadlineMs: 5000, maxResponseBytes: 1000 }), blocked);
  });

  await t.test('blocks addresses in URLs in any notation, and connects to none', async (t) => {
    const { port, connections } = await receive(t, (socket) => respond(socket));
    const send = guarded(t, never);
    const ways = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '017700000001',
      '0',
      '１２７.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
    ];
    for (const host of ways) t.match(await send(`http://${host}:${port}/`), blocked, host);
    t.equal(connections, 0);
  });

  await t.test('blocks names by the addresses they resolve to', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const asked: string[] = [];
    const send = guarded(t, async (host) => {
      asked.push(host);
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ];
    });
    for (const name of ['localhost', 'connector.test', 'a.localhost'])
      t.match(await send(`http://${name}:${receiver.port}/`), blocked, name);
    t.same(asked, ['localhost', 'connector.test', 'a.localhost']);
    t.match(await send(`http://localhost.:${receiver.port}/`), { code: 'ENOTFOUND' }, 'which no host can have');
    t.equal(receiver.connections, 0);
  });

  await t.test('uses the permitted addresses of a name', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const send = guarded(
      t,
      async () => [
        { address: '10.0.0.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
      ['127.0.0.1'],
    );
    t.match(await send(`http://connector.test:${receiver.port}/`), { kind: 'response' });
  });

  await t.test('checks the very addresses it connects to, for each connection', async (t) => {
    const receiver = await receive(t, (socket) => {
      respond(socket, { headers: { connection: 'close' } });
      socket.end();
    });
    let lookups = 0;
    const send = guarded(t, async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }], ['127.0.0.1']);
    t.match(await send(`http://connector.test:${receiver.port}/`), { kind: 'response' });
    t.match(await send(`http://connector.test:${receiver.port}/`), blocked);
    t.equal(lookups, 2);
    t.equal(receiver.connections, 1);
  });

  await t.test('does not follow a redirect to a blocked address', async (t) => {
    const inside = await receive(t, (socket) => respond(socket));
    const outside = await receive(t, (socket) => respond(socket, { status: 302, headers: { location: inside.url } }));
    const send = guarded(t, never, ['127.0.0.1']);
    const outcome: HttpOutcome = await send(outside.url);
    t.match(outcome, { kind: 'response', status: 302 });
    t.equal(inside.connections, 0);
  });

  await t.test('reaches what is allowed by range or host name', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    t.match(await guarded(t, never, ['127.0.0.0/8'])(receiver.url), { kind: 'response' });
    const send = guarded(t, async () => [{ address: '127.0.0.1', family: 4 }], ['connector.internal']);
    t.match(await send(`http://connector.internal:${receiver.port}/`), { kind: 'response' });
    t.match(await send(`http://other.internal:${receiver.port}/`), blocked);
    t.match(await send(receiver.url), blocked);
  });
});
