import t from 'tap';
import { type Turn, verifySignature } from '#core';
import { allPlugins } from '../messages/network-under-test.js';
import { CONNECTOR, CONTACT, inboundText, startChannel } from './channel-under-test.js';

const picture = new TextEncoder().encode('not really a picture');
const minutes = (count: number) => count * 60_000;

async function startWithPicture(...[t, options]: Parameters<typeof startChannel>) {
  const test = await startChannel(t, options);
  await test.say('hi');
  const { id } = await test.platform.media.put(test.uuid, picture, { mimeType: 'image/png', filename: 'a.png' });
  /** Downloads a link without a token. */
  const follow = (link: string) => test.call('GET', link.replace('http://posthorn.test', ''));
  return { ...test, picture: id, follow };
}

t.test('a connector receives a medium of a turn as a link that is valid for two minutes without a token', async (t) => {
  const { send, settle, deliveries, picture: id, follow, clock } = await startWithPicture(t);
  await send({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png', caption: 'look' } });
  await settle();
  const { image } = deliveries()[0]!.json.turn;
  t.match(image, { link: new RegExp(`^http://posthorn.test/v1/media/${id}/content\\?`), mime_type: 'image/png', caption: 'look' });
  await clock.advance(minutes(2) - 1);
  const content = await follow(image.link);
  t.equal(content.status, 200);
  t.equal(content.body, 'not really a picture');
  t.match(content.headers, { 'content-type': /^image\/png/, 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' });
  await clock.advance(1);
  t.equal((await follow(image.link)).status, 403);
});

t.test('a connector gets the link of two minutes also for a file with a published link, which is in no payload', async (t) => {
  const { send, settle, deliveries, picture: id, platform, uuid, follow, clock } = await startWithPicture(t);
  const contact = (await platform.contacts.known(uuid, CONTACT))!;
  const until = new Date(clock.now().getTime() + minutes(60));
  const published = await platform.store.transaction((tx) => platform.media.publish(tx, id, { contact, until }));
  await send({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png' } });
  await settle();
  const { link } = deliveries()[0]!.json.turn.image;
  t.match(link, new RegExp(`/v1/media/${id}/content\\?expires=\\d+&signature=`));
  await clock.advance(minutes(2));
  t.equal((await follow(link)).status, 403);
  t.equal((await follow(published)).status, 200);
  t.notMatch(JSON.stringify(deliveries()), published);
});

t.test('every attempt has a fresh link that works, and a signature over the bytes it sends', async (t) => {
  const { send, clock, deliveries, picture: id, follow, http, webhook, platform } = await startWithPicture(t);
  const links: string[] = [];
  http.answer(CONNECTOR, async ({ body, headers, json }) => {
    t.ok(verifySignature(webhook.secret, body, headers['x-svc-hook-signature']));
    links.push(json.turn.image.link);
    t.equal((await follow(json.turn.image.link)).status, 200);
    return { status: links.length < 6 ? 500 : 200 };
  });
  const { uuid } = await send({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png' } });
  await clock.advance(150_000);
  t.match(await platform.deliveries.list({ message: uuid, limit: 1 }), [{ state: 'delivered', attempts: 6 }]);
  t.equal(new Set(links).size, 6);
  t.equal((await follow(links[0]!)).status, 403, 'the first link has expired');
  t.equal((await follow(links[5]!)).status, 200);
  const bodies = deliveries().map(({ json }) => ({ ...json, turn: null }));
  t.ok(
    bodies.every((body) => JSON.stringify(body) === JSON.stringify(bodies[0])),
    'nothing else changes',
  );
});

t.test('every link in a turn may refer to a medium', async (t) => {
  const { send, settle, deliveries, picture: id, follow } = await startWithPicture(t);
  const link = `media:${id}`;
  const turns: [turn: object, linkIn: (turn: never) => string][] = [
    [{ type: 'image', image: { link, mime_type: 'image/png' } }, ({ image }: { image: { link: string } }) => image.link],
    [{ type: 'video', video: { link, mime_type: 'video/mp4' } }, ({ video }: { video: { link: string } }) => video.link],
    [{ type: 'audio', audio: { link, mime_type: 'audio/ogg' } }, ({ audio }: { audio: { link: string } }) => audio.link],
    [
      { type: 'document', document: { link, mime_type: 'application/pdf', filename: 'a.pdf' } },
      ({ document }: { document: { link: string } }) => document.link,
    ],
    [
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          header: { type: 'image', image: { link } },
          body: { text: 'Nice?' },
          action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
        },
      },
      ({ interactive }: { interactive: { header: { image: { link: string } } } }) => interactive.header.image.link,
    ],
  ];
  for (const [turn, linkIn] of turns) {
    await send(turn as Turn);
    await settle();
    t.equal((await follow(linkIn(deliveries().at(-1)!.json.turn as never))).status, 200);
  }
});

t.test('external links and texts that look like media references do not change', async (t) => {
  const { send, settle, deliveries, picture: id } = await startWithPicture(t);
  const turns: Turn[] = [
    { type: 'image', image: { link: 'https://files.test/a.png', mime_type: 'image/png' } },
    { type: 'text', text: { body: `media:${id}` } },
  ];
  for (const turn of turns) {
    await send(turn);
    await settle();
    t.strictSame(deliveries().at(-1)!.json.turn, turn);
  }
});

t.test("a reference to another number's medium gets no link", async (t) => {
  const test = await startWithPicture(t, { plugins: allPlugins() });
  const { platform, admin, post, send, settle, deliveries, http, uuid, token, maker } = test;
  const { id: foreign } = await platform.media.put(maker.uuid, picture, { mimeType: 'image/png' });
  await admin('POST', '/webhooks', { number: uuid, url: 'https://owner.test', subscriptions: ['msgapp'] });
  http.answer('https://owner.test', {});
  const image = (id: string) => ({ id: 'x', mime_type: 'image/png', sha256: 's', link: `media:${id}` });
  for (const id of [foreign, '12345']) {
    const { contact, message } = inboundText('', { id: `names-${id}` });
    await post({ contact, message: { ...message, type: 'image', image: image(id) } });
    await send({ type: 'image', image: { link: `media:${id}`, mime_type: 'image/png' } });
    await settle();
    t.equal(http.callsTo('https://owner.test').at(-1)!.json.messages[0].image.link, `media:${id}`);
    t.equal(deliveries().at(-1)!.json.turn.image.link, `media:${id}`);
    const history = await test.call('GET', `/v1/contacts/${encodeURIComponent(CONTACT)}/messages`, { token });
    t.strictSame([history.body.messages[0].image.link, history.body.messages[1].image.link], [`media:${id}`, `media:${id}`]);
  }
});

t.test('a manipulated link is refused', async (t) => {
  const { platform, picture: id, follow, uuid, clock } = await startWithPicture(t);
  const other = await platform.media.put(uuid, picture, { mimeType: 'text/plain' });
  const link = platform.media.link(id);
  t.equal((await follow(link)).status, 200);
  const expires = clock.now().getTime() + minutes(2);
  const tampered: [what: string, link: string, status: number][] = [
    ['another medium', link.replace(id, other.id), 403],
    ['more time', link.replace(String(expires), String(expires + minutes(60))), 403],
    ['another signature', link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), 403],
    ['a shorter signature', link.slice(0, -1), 403],
    ['an empty signature', link.replace(/signature=.*/, 'signature='), 400],
    ['no signature', link.replace(/&signature=.*/, ''), 400],
    ['no time', link.replace(/expires=\d+&/, ''), 400],
    ['a time that is none', link.replace(/expires=\d+/, 'expires=never'), 400],
  ];
  for (const [what, bad, status] of tampered) t.equal((await follow(bad)).status, status, what);
});

t.test('a valid link to a medium that does not exist gets 404', async (t) => {
  const { platform, follow } = await startWithPicture(t);
  t.equal((await follow(platform.media.link('1234'))).status, 404);
  t.equal((await follow(platform.media.link('../secrets?x=/#'))).status, 404);
});
