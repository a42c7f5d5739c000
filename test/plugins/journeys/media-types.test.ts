import t from 'tap';
import { startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

const HOOK = 'https://hook.test/events';

async function start(t: Tap) {
  const channel = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { platform, uuid, admin, http } = channel;
  const put = async (mimeType: string, number = uuid) =>
    (await platform.media.put(number, new TextEncoder().encode(mimeType), { mimeType })).id;
  await admin('POST', '/webhooks', { number: uuid, url: HOOK, name: 'events', subscriptions: ['journey_outbound'] });
  http.answer(`POST ${HOOK}`, {});
  return { ...channel, put };
}

const value = (content_type: string, text: string, mime_type?: string) => ({
  language_id: 'eng',
  content_type,
  modes: ['RICH_MESSAGING'],
  value: text,
  ...(mime_type !== undefined && { mime_type }),
});
const medium = (name: string, media_type: string, resource: string) => ({
  name,
  type: 'Svc.Media',
  config: { media_type, media: resource },
});
const message = (name: string) => ({ name, type: 'MobilePrimitives.Message', config: { prompt: name } });

t.test('uploaded media have their stored type in every turn, payload, webhook and record', async (t) => {
  const { say, publish, deliveries, http, platform, uuid, put } = await start(t);
  const [png, pdf, ogg] = [await put('image/png'), await put('application/pdf'), await put('audio/aac')];
  await publish({
    languages: ['eng'],
    texts: {
      png,
      pdf,
      // As exported journeys have it: the type of the picture is unknown.
      said: [value('IMAGE', `media:${png}`, 'application/octet-stream'), value('TEXT', 'Look')],
      file: [value('TEXT', `media:${pdf}`, 'application/msword')],
      sound: [value('AUDIO', `media:${ogg}`)],
    },
    blocks: [medium('picture', 'image', 'png'), medium('document', 'document', 'pdf'), message('said'), message('file'), message('sound')],
  });
  await say('hi');
  const types = (turn: Record<string, { mime_type?: string }> & { type: string }) => `${turn.type} ${turn[turn.type]!.mime_type}`;
  const wanted = ['image image/png', 'document application/pdf', 'image image/png', 'document application/pdf', 'audio audio/aac'];
  t.strictSame(
    deliveries().map(({ json: { turn } }) => types(turn)),
    wanted,
    'in the payload for the connector',
  );
  t.strictSame(
    http.callsTo(HOOK).map(({ json }) => types(json)),
    wanted,
    'in the event for the webhook',
  );
  const [conversation] = await platform.conversations.list(uuid, 1);
  const stored = (await platform.conversations.newest(conversation!.uuid, 10)).filter(({ direction }) => direction === 'outbound');
  t.strictSame(
    stored.reverse().map(({ type, content }) => types({ type, ...content } as never)),
    wanted,
    'in the record of the message',
  );
});

t.test('a template has the stored type, and a simulation shows the same', async (t) => {
  const { call, publish, token, put } = await start(t);
  const [png, pdf] = [await put('image/png'), await put('application/pdf')];
  const draft: Draft = {
    languages: ['eng'],
    texts: { png },
    blocks: [
      medium('picture', 'image', 'png'),
      {
        name: 'offer',
        type: 'Svc.Template',
        config: {
          template: {
            name: 'offer',
            language: { code: 'en' },
            components: [
              {
                type: 'header',
                parameters: [{ type: 'document', document: { link: `media:${pdf}`, mime_type: 'application/octet-stream' } }],
              },
            ],
          },
        },
      },
    ],
  };
  const journey = await publish(draft);
  const { body } = await call('POST', `/v1/journeys/${journey}/simulation`, { token, payload: { simulation_id: 'media-1', debug: true } });
  t.match(body.messages, [
    { image: { link: `media:${png}`, mime_type: 'image/png' } },
    { template: { components: [{ parameters: [{ document: { link: `media:${pdf}`, mime_type: 'application/pdf' } }] }] } },
  ]);
});

t.test('media of another number, deleted media and external files keep the guessed type', async (t) => {
  const { say, publish, deliveries, put, maker } = await start(t);
  const foreign = await put('image/png', maker.uuid);
  await publish({
    languages: ['eng'],
    texts: { foreign, gone: '1234567890123456', link: 'https://files.test/a.png' },
    blocks: [medium('a', 'image', 'foreign'), medium('b', 'image', 'gone'), medium('c', 'image', 'link')],
  });
  await say('hi');
  t.strictSame(
    deliveries().map(({ json: { turn } }) => turn.image.mime_type),
    ['image/jpeg', 'image/jpeg', 'image/png'],
  );
});

t.test('a plugin that sends media of its number need not know the type', async (t) => {
  const { platform, number } = await startPlatform(t, { plugins: [channels()] });
  const { uuid } = await number('channel', { type: 'channel_http_api' });
  const { id } = await platform.media.put(uuid, new Uint8Array(1), { mimeType: 'image/png' });
  const record = await platform.numbers.require(uuid);
  const author = { type: 'SYSTEM' as const, id: 'x', name: 'x' };
  const turn = { type: 'image' as const, image: { link: `media:${id}`, mime_type: 'image/jpeg' } };
  const sent = await platform.store.transaction((tx) =>
    platform.channels.sendTo(tx, record, { id: '+27820001001', address: '+27820001001' }, { turn, author }),
  );
  t.match(sent.content, { image: { mime_type: 'image/png' } });
});
