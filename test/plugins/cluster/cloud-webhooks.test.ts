import { createHmac } from 'node:crypto';
import t from 'tap';
import { cloudApi } from '../../../plugins/cloud-api/plugin.js';
import { until } from '../../../scripts/crash/until.js';
import { NUMBER, SECRETS } from '../cloud-api/cloud-under-test.js';
import { clustered, folderFor, settled } from './clustered.js';
import { withDatabase } from './postgres/with-database.js';
import { numberIn, routed } from './routed.js';

/** The stand-in of a network that is not reachable: templates are read later. */
const unreachable = { graphUrl: 'http://127.0.0.1:1' };

/** Events of the network for numbers of two business accounts of one app. */
const eventsFor = (phones: readonly string[], id: string) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: phones.map((phone) => ({
      id: `9${phone}`,
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: phone, phone_number_id: phone },
            contacts: [{ wa_id: '16505551234', profile: { name: 'Ann' } }],
            messages: [{ from: '16505551234', id: `wamid.${phone}.${id}`, timestamp: '1767600000', type: 'text', text: { body: id } }],
          },
        },
      ],
    })),
  });

const signed = (body: string, secret = SECRETS.appSecret) => ({
  'content-type': 'application/json',
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  authorization: '',
});

t.test(
  'a call of the network reaches the numbers of all shards through any process, and is repeated while a shard has no owner',
  async (t) => {
    const cluster = await routed(t, { waitMs: 300, extra: [cloudApi(unreachable)] });
    const phones = ['1001', '1002'];
    const numbers: string[] = [];
    for (const [i, phone] of phones.entries()) {
      const { uuid } = await numberIn(cluster, `shard-${i + 1}`, `+2760000100${i}`, { kind: 'network', type: 'network' });
      const credentials = {
        phone_number_id: phone,
        waba_id: `9${phone}`,
        access_token: SECRETS.accessToken,
        verify_token: SECRETS.verifyToken,
      };
      const path = `/admin/v1/cloud-api/numbers/${uuid}`;
      t.equal((await cluster.call(0, 'PUT', path, { ...credentials, app_secret: SECRETS.appSecret })).status, 200);
      numbers.push(uuid);
    }
    const received = async (i: number): Promise<string[]> => {
      const { body } = await cluster.call(0, 'GET', `/admin/v1/conversations?number=${numbers[i]}`);
      const [conversation] = body.conversations as { conversation: { uuid: string } }[];
      if (!conversation) return [];
      const { body: shown } = await cluster.call(0, 'GET', `/admin/v1/conversations/${conversation.conversation.uuid}/messages`);
      return (shown.messages as { content: { text: { body: string } } }[]).map(({ content }) => content.text.body).sort();
    };
    const post = (process: number, path: string, body: string, headers: Record<string, string> = signed(body)) =>
      cluster.call(process, 'POST', `/cloud-api/webhooks/${path}`, body, headers);

    for (const [process, phone] of [
      [0, '1001'],
      [1, '1001'],
      [0, '1002'],
    ] as const) {
      const answer = await post(process, phone, eventsFor(phones, `${process} ${phone}`));
      t.match(answer, { status: 200, body: {} }, answer.text);
    }
    const all = ['0 1001', '0 1002', '1 1001'];
    for (const i of [0, 1]) await until(async () => (await received(i)).length === all.length, 'the messages are stored');
    t.strictSame([await received(0), await received(1)], [all, all]);

    const body = eventsFor(phones, 'refused');
    t.equal((await post(0, '1001', body, signed(body, 'another-secret'))).status, 403);
    t.equal((await post(0, '1002', body, { authorization: '', 'content-type': 'application/json' })).status, 401);
    t.equal((await post(0, '1003', body, signed(body, 'another-secret'))).status, 404);

    cluster.own('shard-2', undefined);
    const late = eventsFor(phones, 'late');
    t.equal((await post(0, '1001', late)).status, 503);
    cluster.own('shard-2', 1);
    t.equal((await post(0, '1001', late)).status, 200);
    for (const i of [0, 1]) await until(async () => (await received(i)).includes('late'), 'the repeated call is stored');
    t.strictSame(
      [await received(0), await received(1)],
      [
        [...all, 'late'],
        [...all, 'late'],
      ],
      'once',
    );
  },
);

t.test(
  'a number of the options is in one shard',
  withDatabase(async (t, database) => {
    const plugins = [
      cloudApi({ numbers: [NUMBER, { ...NUMBER, address: '+15550783882', phoneNumberId: '106540352242923' }], ...unreachable }),
    ];
    const member = await clustered(t, database, { folder: folderFor(t), platform: { plugins } });
    await settled([member]);
    const { body } = await member.call('GET', '/admin/v1/cloud-api/numbers');
    t.equal(body.connections.length, 2);
    const numbers = (await member.call('GET', '/admin/v1/numbers')).body.numbers as { account: string }[];
    t.strictSame(
      numbers.map(({ account }) => account),
      [NUMBER.wabaId, NUMBER.wabaId],
    );
  }),
);
