import t from 'tap';
import { ManualClock, type Tap } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { outcomeText } from '../../../core/events/outcome-text.js';
import type { HttpRequest } from '../../../core/ports/http-client.js';
import { authority } from '../ports/certificates.js';
import { addresses, type Misbehaviour, prompt, slow } from './misbehaviour.js';
import { startWithWebhook } from './webhook-platform.js';

const ANCHORS = [0, 17, 36, 60, 91, 138];

t.test('an endpoint that', async (t) => {
  // Real sockets with the clock of the test: deadlines fire only when the test advances it, so a slow machine changes nothing.
  await rows(t, prompt, new ManualClock());
  await rows(t, slow, new ManualClock({ patienceMs: 250 }));
});

/** One webhook for each endpoint, all at the same time. */
async function rows(t: Tap, all: readonly Misbehaviour[], clock: ManualClock): Promise<void> {
  const client = new UndiciClient({
    clock,
    guard: { allow: ['127.0.0.0/8', '::1'] },
    ca: authority,
    async lookup(host) {
      const address = addresses[host];
      if (address === undefined || address instanceof Error) throw address ?? new Error(`no address for ${host}`);
      if (address === 'never') return new Promise(() => {});
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    },
  });
  // Without `refusal`, so that webhooks can be created for any URL.
  const http = { send: (request: HttpRequest) => client.send(request), stop: () => client.stop() };
  const { platform, post, delivery, attempts } = await startWithWebhook(t, { ports: { clock, http }, deliveries: { slots: 256 } });
  const start = clock.now().getTime();
  const posted: { row: Misbehaviour; uuid: string; arrived: () => number | undefined }[] = [];
  for (const row of all) {
    const { url, receiver } = await row.at(t);
    const webhook = await platform.store.transaction((tx) => {
      const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: row.name, name: row.name });
      return platform.webhooks.create(tx, { number: number.uuid, url, name: row.name, subscriptions: ['network'] }).webhook;
    });
    const { uuid } = await post({ webhook });
    posted.push({ row, uuid, arrived: () => receiver?.received.length });
  }
  await clock.advance(200_000);

  for (const { row, uuid, arrived } of posted) {
    await t.test(`${row.name}: ${row.state} after ${row.attempts}`, async (t) => {
      const { state, reason, attempts: made, last_status, last_no_response } = await delivery(uuid);
      t.strictSame({ state, reason, made }, { state: row.state, reason: row.reason, made: row.attempts });
      const tried = await attempts(uuid);
      const { takes = 0, arrive = 1 } = row;
      t.strictSame(
        tried.map(({ started_at }) => (Date.parse(started_at) - start) / 1000),
        ANCHORS.slice(0, row.attempts).map((second, n) => (n === 0 ? 0 : second + takes)),
        'each attempt is on time',
      );
      t.ok(
        tried.every(({ duration_ms: ms }) => ms === takes * 1000),
        `each takes ${takes} s`,
      );
      const last = tried.at(-1)!;
      t.strictSame({ status: last.status, code: last.error_code }, { status: row.status, code: row.code });
      const shown = row.shown ?? new RegExp(`^${row.status}$`);
      t.match(outcomeText(last), shown, 'people read why there is no status');
      t.match(outcomeText({ status: last_status!, no_response: last_no_response }), shown, 'the same of the delivery');
      if (row.words === null) t.equal(last.error, null);
      else t.match(last.error, row.words);
      if (arrived() !== undefined) t.equal(arrived(), row.attempts * arrive, 'requests arrive');
      t.ok(Buffer.byteLength(last.response ?? '') <= 3 * 4096, 'at most 4 KB of the response are stored');
    });
  }
}
