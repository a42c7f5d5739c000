import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { admin, ask, newFolder, OUTSIDE, posthorn, type Ready, silence, startSandbox } from './posthorn-process.js';

/** An endpoint that responds with the status in the path, or not at all. */
async function startEndpoint(t: Tap): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a sandbox and the commands that talk to it', async (t) => {
  const folder = newFolder(t);
  const sandbox = await startSandbox(t, folder);
  const { ready } = sandbox;
  const send = (...args: string[]) => ask(folder, ['send', ...args]);
  const pointReceiverAt = (url: string) => admin(ready, 'PATCH', `/webhooks/${ready.webhooks[0]!.uuid}`, { url });

  t.test('the ready line has exactly the documented top-level keys', async (t) => {
    t.strictSame(Object.keys(ready), ['ready', 'v', 'api', 'admin', 'console', 'numbers', 'channels', 'webhooks', 'journeys']);
    t.match(ready, {
      ready: true,
      api: /^http:\/\/127\.0\.0\.1:\d+$/,
      admin: { url: `${ready.api}/admin/v1`, key: /^pha_/ },
      console: { url: `${ready.api}/console/` },
      numbers: [
        { uuid: /./, kind: 'network', address: '+27600000001', token: /^ph_/ },
        { uuid: /./, kind: 'channel', address: 'web:library', token: /^ph_/ },
      ],
      channels: [{ uuid: ready.numbers[1]!.uuid, webhook: { uuid: /./, hmac_secret: /./ }, endpoint: /^http/ }],
      webhooks: [
        { number: ready.numbers[1]!.uuid, url: /^http/ },
        { number: ready.numbers[0]!.uuid, url: /^http/ },
      ],
      journeys: [{ name: 'Riverside Library' }, { name: 'Riverside Library' }],
    });
    t.equal(sandbox.out().trim().split('\n').length, 1, 'one line');
    t.equal(sandbox.err(), '');
  });

  t.test('send prints the reply, its options, and each delivery with status, time and signature check', async (t) => {
    const { code, out, err } = await send('hi', '--from', '+1');
    t.equal(code, 0);
    t.equal(err, '');
    t.match(out, /^ {2}▶ \+1 {2}hi\n {2}◀ Welcome to the Riverside Library!.*\n.*\n {4}\[English\]\n {4}\[Français\]\n/);
    for (const about of ['msgapp +message', 'channel +reply', 'msgapp +status sent', 'msgapp +status delivered']) {
      t.match(out, new RegExp(`delivery {2}${about} +200 +\\d+ ms {2}signature ok\n`));
    }
    t.match(out, /journey {3}waiting at Welcome\n$/);
    t.notMatch(out, '\u001b', 'no colours in a pipe');
  });

  t.test('a text equal to the title of an option is a tap, which answers the journey', async (t) => {
    const { code, out } = await send('--json', '--from', '+1', '--name', 'Ada', 'Français');
    t.equal(code, 0);
    t.match(JSON.parse(out), {
      sent: { from: '+1', text: 'Français', id: /./ },
      replies: [{ text: 'Quel plaisir de vous lire, Ada.' }, { options: ['Réserver une visite', /./, /./], status: 'delivered' }],
      journey: { state: 'waiting', card: 'Menu' },
      open: [],
    });
    const { messages } = await admin(ready, 'GET', `/conversations/${await conversationOf(ready, '+1')}`);
    const tap = messages.find(
      ({ type, direction }: { type: string; direction: string }) => type === 'interactive' && direction === 'inbound',
    );
    t.match(tap, { context: { id: /./ }, content: { interactive: { type: 'button_reply', button_reply: { title: 'Français' } } } });
  });

  t.test('concurrent contacts each see their own conversation', async (t) => {
    const all = await Promise.all(['+11', '+12', '+13'].map((from) => send('--json', '--from', from, `hi from ${from}`)));
    for (const { code, out } of all) {
      t.equal(code, 0);
      const { sent, replies, deliveries } = JSON.parse(out);
      t.equal(sent.text, `hi from ${sent.from}`);
      t.equal(replies.length, 1);
      t.strictSame(deliveries.map(({ about }: { about: string }) => about).sort(), ['message', 'reply', 'status delivered', 'status sent']);
    }
  });

  t.test('a message that no journey answers ends immediately, and send says why', async (t) => {
    await admin(ready, 'POST', `/journeys/${ready.journeys[0]!.uuid}/disable`);
    const { code, out } = await send('hi', '--from', '+21', '--wait', '60');
    t.equal(code, 0);
    t.match(out, /no reply: no journey waits for this contact, and no trigger matches this text\n.*delivery {2}msgapp +message +200/);
    await admin(ready, 'POST', `/journeys/${ready.journeys[0]!.uuid}/enable`);
  });

  t.test('a failed delivery ends send with 1; send does not wait for retries, and says when the next one is', async (t) => {
    const endpoint = await startEndpoint(t);
    await pointReceiverAt(`${endpoint}/500`);
    const retried = await send('hi', '--from', '+31', '--wait', '60');
    t.equal(retried.code, 1);
    t.match(retried.out, /msgapp +message +500 +\d+ ms {2}the endpoint answered 500 {2}retry 1 of 5 in 1[5-8] s\n/);
    await pointReceiverAt(`${endpoint}/404`);
    const cancelled = await send('hi', '--from', '+32', '--wait', '60');
    t.equal(cancelled.code, 1);
    t.match(cancelled.out, /msgapp +message +404 +\d+ ms {2}the endpoint answered 404, which ends retries\n/);

    await pointReceiverAt(`${endpoint}/none`);
    const open = await send('hi', '--from', '+33', '--wait', '0.7');
    t.equal(open.code, 5, 'a conversation longer than --wait ends with 5');
    t.match(open.err, /after 0\.7 s the delivery of message to msgapp is still in flight/);
    await pointReceiverAt(ready.webhooks[0]!.url);
  });

  t.test('send also writes to a network number, whose webhook receives the messages of the journey', async (t) => {
    const { code, out, err } = await send('hi', '--number', '+27600000001', '--from', '+27611111101');
    t.equal(err, '');
    t.equal(code, 0);
    for (const about of ['msgapp +message', 'journey_outbound +reply', 'msgapp +status sent', 'msgapp +status delivered']) {
      t.match(out, new RegExp(`delivery {2}${about} +200 +\\d+ ms {2}signature ok\n`));
    }
    const tapped = await send('--button', 'English', '--number', '+27600000001', '--from', '+27611111101', '--json');
    t.match(JSON.parse(tapped.out), { sent: { text: 'English' }, journey: { card: 'Menu' }, open: [] });
  });

  t.test('network numbers receive every type of message', async (t) => {
    const file = (name: string, content = 'some bytes') => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const from = ['--number', '+27600000001', '--from', '+27611111102', '--json'];
    await send('hi', ...from);
    const kinds: [type: string, args: string[]][] = [
      ['image', ['--image', file('a.png'), 'look']],
      ['document', ['--document', file('a.pdf')]],
      ['audio', ['--audio', file('a.ogg')]],
      ['voice', ['--voice', file('v.ogg')]],
      ['video', ['--video', file('a.mp4')]],
      ['sticker', ['--sticker', file('a.webp')]],
      ['location', ['--location', '-33.92,18.42', 'The library']],
      ['contacts', ['--contact', 'Bee Cee,+27820000002']],
      ['reaction', ['--reaction', '👍']],
      ['interactive', ['--flow', file('f.json', '{"rating":"5"}')]],
      ['text', ['as you say', '--quote', 'last']],
    ];
    for (const [type, args] of kinds) {
      const { code, err } = await send(...args, ...from);
      t.equal(code, 0, `${type} ${err}`);
    }
    const { numbers } = ready;
    const { contacts } = await admin(ready, 'GET', `/numbers/${numbers[0]!.uuid}/contacts`);
    const contact = contacts.find(({ id }: { id: string }) => id === '27611111102');
    const { conversations } = await admin(ready, 'GET', `/numbers/${numbers[0]!.uuid}/conversations`);
    const conversation = conversations.find((one: { contact: string }) => one.contact === contact.uuid);
    const { messages } = await admin(ready, 'GET', `/conversations/${conversation.uuid}?limit=100`);
    const inbound = messages.filter(({ direction }: { direction: string }) => direction === 'inbound').reverse();
    t.strictSame(
      inbound.map(({ type }: { type: string }) => type),
      ['text', ...kinds.map(([type]) => type)],
    );
    t.match(inbound.at(-1), { context: { id: /^wamid/ } });
    t.match(inbound.find(({ type }: { type: string }) => type === 'location').content.location, { name: 'The library' });
    t.match(inbound[1].content.image, { caption: 'look', mime_type: 'image/png', sha256: /^[0-9a-f]{64}$/ });
  });

  t.test('a channel receives the types it supports; for others send names a number that can', async (t) => {
    await admin(ready, 'POST', '/channels', { from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/' });
    writeFileSync(join(folder, 'b.png'), 'some bytes');
    const { code, out } = await send('--image', join(folder, 'b.png'), 'look', '--from', '+61');
    t.equal(code, 0);
    t.match(out, /▶ \+61 {2}\[image b\.png\] look\n/);
    for (const args of [
      ['--location', '1,2'],
      ['--reaction', '👍'],
      ['--contact', 'A,+1'],
      ['--voice', join(folder, 'v.ogg')],
    ]) {
      const refused = await send(...args);
      t.equal(refused.code, 2);
      t.match(refused.err, /web:library is a channel and cannot receive a \w+; \+27600000001 can: --number \+27600000001\n/);
    }
    for (const [args, says] of [
      [['--location', 'here'], /takes LATITUDE,LONGITUDE/],
      [['--image', 'nothing.png'], /file nothing.png not found/],
      [['--document', folder], /is not a file/],
      [['--image', join(folder, 'a.pdf')], /takes a file with the extension/],
      [['--image', join(folder, 'b.png'), '--reaction', '👍'], /are two messages/],
      [['hi', '--number', '+1'], /number \+1 not found; existing numbers: /],
      [['--contact', 'absent'], /takes NAME,PHONE/],
    ] as [string[], RegExp][]) {
      const refused = await send(...args);
      t.equal(refused.code, 2, args.join(' '));
      t.match(refused.err, says);
    }
  });

  t.test('send posts to other channels what their connectors post', async (t) => {
    const channel = (await admin(ready, 'GET', '/channels')).channels.find(
      (one: { number: { address: string } }) => one.number.address === 'web:shop',
    ).number;
    const { code, err } = await send('hi', '--number', 'web:shop', '--from', 'web-9', '--name', 'Zoe');
    t.equal(code, 0, err);
    const [call] = (await admin(ready, 'GET', '/calls')).calls;
    t.match(call, { path: `/v1/numbers/${channel.uuid}/messages`, status: 200 });
    t.match(JSON.parse(call.request.body.text), {
      contact: { id: 'web-9', profile: { name: 'Zoe' } },
      message: { from: 'web-9', type: 'text', text: { body: 'hi' } },
    });
    const refused = await send('--button', 'Yes', '--number', 'web:shop', '--from', 'web-9');
    t.match(refused, { code: 2, err: /no recent message to web-9 has an option 'Yes'/ });
  });

  t.test('an invalid reference or content ends send with 2 and a reason', async (t) => {
    const network = ['--number', '+27600000001', '--from', '+27822000001'];
    const empty = join(folder, 'empty.png');
    writeFileSync(empty, '');
    for (const [args, says] of [
      [['--list', 'Nope', ...network], /^posthorn: no recent message offers "Nope"/],
      [['hi', '--quote', 'nothing', ...network], /^posthorn: context.id is not the id of a message of this number/],
      [['--image', empty, ...network], /^posthorn: The body is empty/],
      [['hi', '--number', '+27600000001', '--from', 'ann'], /^posthorn: from is not an international phone number/],
      [['--button', 'Nope'], /^posthorn: the last question to \+27611111111 has no option 'Nope'/],
    ] as [string[], RegExp][]) {
      const refused = await send(...args);
      t.equal(refused.code, 2, args.join(' '));
      t.match(refused.err, says);
      t.notMatch(refused.err, /[{}]/, 'a sentence, not JSON');
    }
  });

  t.test('send says why a reaction gets no reply and no delivery', async (t) => {
    const network = ['--number', '+27600000001', '--from', '+27822000002'];
    await send('hi', ...network);
    const { code, out } = await send('--reaction', '👍', ...network);
    t.equal(code, 0);
    t.match(out, /no reply: journeys do not answer reactions\n.*webhooks receive reactions only if enabled: .*"reactions": true/);
  });

  t.test('a message that the connector refuses ends with 1 and the reason', async (t) => {
    const { code, err } = await send('hi', '--from', 'x'.repeat(2_000));
    t.equal(code, 1);
    t.match(err, /^posthorn: .*the platform did not accept messages: 400 .*is invalid/);
  });

  t.test('tail prints events, selects them by the start of their name, and resumes after an event', async (t) => {
    const [all, some] = [posthorn(t, folder, ['tail', '--json']), posthorn(t, folder, ['tail', 'journey'])];
    await some.printed(/Following/);
    while (!/journey\.turn_taken/.test(some.out()) || !/journey\.turn_taken/.test(all.out())) await send('hi', '--from', '+41');
    const events = all
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.match(events[0], { id: /./, at: /^\d{4}-/, name: /\./, data: {} });
    const [started, turn] = some.out().split('\n');
    t.match(started, /^\d\d:\d\d:\d\d\.\d{3}Z +journey\.started +with message [\w-]{36}$/);
    t.match(turn, /^\d\d:\d\d:\d\d\.\d{3}Z +journey\.turn_taken +waiting at card Welcome$/);
    t.notMatch(some.out(), /delivery/);
    all.child.kill('SIGINT');
    some.child.kill('SIGINT');
    t.strictSame([await all.ended, await some.ended], [0, 0]);

    const again = posthorn(t, folder, ['tail', '--json', '--after', events[0].id]);
    await again.printed(/\n/);
    t.equal(JSON.parse(again.out().split('\n')[0]!).id, events[1].id);
    again.child.kill('SIGINT');
    await again.ended;
  });

  t.test('tail ends silently when the reader of its pipe closes it', async (t) => {
    const tail = posthorn(t, folder, ['tail']);
    await tail.printed(/Following/);
    tail.child.stdout!.destroy();
    await send('hi', '--from', '+51');
    await send('hi', '--from', '+51');
    t.equal(await tail.ended, 0);
    t.notMatch(tail.err(), /EPIPE/);
  });

  t.test('Ctrl-C stops the sandbox and its children, and ends a tail', async (t) => {
    const tail = posthorn(t, folder, ['tail']);
    await tail.printed(/Following/);
    sandbox.child.kill('SIGINT');
    t.equal(await sandbox.ended, 0);
    t.equal(await tail.ended, 0);
    t.match(tail.err(), /The sandbox has stopped\.\n$/);
    await Promise.all([silence(ready.channels[0]!.endpoint), silence(ready.webhooks[0]!.url)]);
  });

  t.test('without a sandbox, commands end with 3 and say how to start one', async (t) => {
    for (const args of [['send', 'hi'], ['tail']]) {
      const { code, err } = await ask(folder, args);
      t.equal(code, 3);
      t.equal(
        err,
        `posthorn: no sandbox is running in this folder. Start one in another terminal: ${OUTSIDE} sandbox\nCode: no_sandbox\nTry: ${OUTSIDE} sandbox\n`,
      );
    }
  });
});

async function conversationOf(ready: Ready, contact: string): Promise<string> {
  const { conversations } = await admin(ready, 'GET', `/numbers/${ready.channels[0]!.uuid}/conversations`);
  for (const { uuid } of conversations) if ((await admin(ready, 'GET', `/conversations/${uuid}`)).contact.id === contact) return uuid;
  throw new Error(`no conversation with ${contact}`);
}

t.test('wrong usage ends with 2 and names the help', async (t) => {
  const folder = newFolder(t);
  const misunderstood: [string[], RegExp][] = [
    [['snd', 'hi'], /^posthorn: unknown command 'snd'; did you mean 'send'\?\nCode: usage\nTry: node \S+\/bin\/posthorn\.mjs help\n$/],
    [['send'], /send needs a text or a flag.*\nCode: usage\nTry: node \S+ help send\n$/],
    [['send', 'hi', '--wat'], /unknown flag --wat/],
    [['sandbox', 'hi'], /sandbox takes flags only, not 'hi'/],
    [['--prot', '0'], /unknown flag --prot; did you mean '--port'\?\nCode: usage\nTry: node \S+ help sandbox/],
    [['--host', 'nowhere.invalid'], /cannot listen on nowhere\.invalid/],
  ];
  for (const [args, message] of misunderstood) {
    const { code, err, out } = await ask(folder, args);
    t.equal(code, 2, args.join(' '));
    t.match(err, message);
    t.equal(out, '');
  }
  const [[args, message]] = misunderstood as [[string[], RegExp]];
  const { ended, err, out } = posthorn(t, folder, args);
  t.equal(await ended, 2, 'in a process of its own');
  t.match(err(), message);
  t.equal(out(), '');
});

t.test('help and version go to standard output', async (t) => {
  const folder = newFolder(t);
  for (const line of ['-h', 'help send', 'send --help', '--version', 'help --help']) {
    const { code, out, err } = await ask(folder, line.split(' '));
    t.equal(code, 0);
    t.match(out, /\d\.\d|--from ADDRESS/);
    t.equal(err, '');
  }
  const { ended, out, err } = posthorn(t, folder, ['--version']);
  t.equal(await ended, 0, 'in a process of its own');
  t.match(out(), /\d\.\d/);
  t.equal(err(), '');
});
