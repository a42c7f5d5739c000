import t from 'tap';
import type { Tap } from '#core/testing';
import { checksOfIntegrations, Integration } from '../../sandbox/conform/integration/index.js';
import { bind, runChecks } from '../../sandbox/conform/run.js';
import { type Answer, type Incoming, type Json, SECRET, SubjectClock, serve, verifiers } from './connector-subject.js';
import { failsOnly, UNPACED } from './flawed.js';

const TOKEN = 'the-api-token';

interface Flaw {
  readonly verify?: (incoming: Incoming) => boolean;
  readonly refusal?: number;
  readonly handshake?: (good: Json) => Json;
  readonly update?: (good: Json, incoming: Incoming) => Json | Promise<Json>;
  readonly click?: (good: Answer) => Answer;
  readonly token?: (header: string | undefined) => boolean;
}

const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: 'Card', code: 'card', type: 'table' },
      { title: 'Loans', code: 'loans', type: 'ordered-list' },
    ],
  },
};
const update = {
  version: '1.0.0-alpha',
  context_objects: { card: { Number: '17' }, loans: ['The Old Man and the Sea'] },
  actions: { extend: { description: 'Extend', url: 'actions/extend', payload: { days: 7 }, options: { week: 'A week' } } },
  suggested_responses: [{ type: 'TEXT', title: 'Due', body: 'It is due on Monday', confidence: 0.9 }],
};
const declared = (capabilities: object): Flaw => ({
  handshake: (good) => ({ ...good, capabilities: { ...good.capabilities, ...capabilities } }),
});
const updated = (changed: object): Flaw => ({ update: (good) => ({ ...good, ...changed }) });
const failsWhen = (fits: (json: Json, incoming: Incoming) => unknown): Flaw => ({
  update: (good, incoming) => (fits(incoming.json ?? {}, incoming) ? FAILED : good),
});
const FAILED = Symbol('failed');
const textOf = (json: Json): string => json.messages?.[0]?.text?.body ?? '';

/** For each check the integration that fails it. */
const flaws: Readonly<Record<string, Flaw>> = {
  'I-01': { handshake: () => 'ready' },
  'I-02': { update: () => [] },
  'I-03': {
    update(good, { json, clock }) {
      if (textOf(json).startsWith('How long')) clock.pass(5_001);
      return good;
    },
  },
  'I-04': { verify: verifiers.acceptsUnsigned },
  'I-05': { verify: verifiers.acceptsAnyBase64 },
  'I-06': { verify: verifiers.acceptsHex },
  'I-07': { verify: verifiers.acceptsOtherSecret },
  'I-08': { verify: verifiers.remembersSignatures },
  'I-09': { refusal: 500 },
  'I-10': { verify: verifiers.readsLatin1 },
  'I-11': { verify: verifiers.serializesAgain },
  'I-12': failsWhen((_, { body }) => body.includes('12345678901234567890')),
  'I-13': { verify: verifiers.looksForCapitals },
  'I-14': { handshake: ({ capabilities }) => ({ capabilities }) },
  'I-15': { handshake: () => ({ version: '1.0.0-alpha' }) },
  'I-16': declared({ actions: 'yes' }),
  'I-17': declared({ context_objects: null }),
  'I-18': declared({ context_objects: [{ code: 'card', type: 'table' }] }),
  'I-19': declared({ context_objects: [...handshake.capabilities.context_objects, { title: 'Twice', code: 'card', type: 'table' }] }),
  'I-20': declared({
    context_objects: [
      { title: 'Card', code: 'card', type: 'table' },
      { title: 'Loans', code: 'loans', type: 'list' },
    ],
  }),
  'I-21': updated({ version: undefined }),
  'I-22': updated({ context_objects: [] }),
  'I-23': updated({ context_objects: { ...update.context_objects, other: {} } }),
  'I-24': updated({ context_objects: { loans: [{ title: 'A' }] } }),
  'I-25': updated({ actions: { extend: { url: 'actions/extend', payload: {} } } }),
  'I-26': updated({ actions: { extend: { ...update.actions.extend, options: ['week'] } } }),
  'I-27': declared({ actions: false }),
  'I-28': updated({ suggested_responses: [{ type: 'TEXT', title: 'Due', body: 'Monday', confidence: 'high' }] }),
  'I-29': failsWhen(({ messages }) => messages?.length === 0),
  'I-30': failsWhen(({ messages = [] }) => messages.some(({ type }: Json) => type === 'image')),
  'I-31': failsWhen((json) => json.conformance_unknown || json.numbers),
  'I-32': { click: () => ({ status: 404 }) },
  'I-33': { click: (good) => ({ ...good, headers: { 'x-svc-integration-refresh': 'yes' } }) },
  'I-34': { token: () => true },
};

t.test('integrations', async (t) => {
  const check = async (t: Tap, flaw: Flaw) => {
    const { verify = verifiers.right, refusal = 401, token = (header) => header === `Bearer ${TOKEN}` } = flaw;
    const clock = new SubjectClock();
    const respond = async (incoming: Incoming): Promise<Answer> => {
      const { json, request } = incoming;
      if (!verify(incoming)) return { status: refusal };
      if (!token(request.headers.authorization)) return { status: 401 };
      if (request.url?.startsWith('/actions/')) {
        const good = { status: 200, headers: { 'x-svc-integration-refresh': 'true' } };
        return flaw.click?.(good) ?? good;
      }
      const isHandshake = json?.handshake === true;
      const body = isHandshake ? (flaw.handshake?.(handshake) ?? handshake) : ((await flaw.update?.(update, incoming)) ?? update);
      return body === FAILED ? { status: 500 } : { status: 200, body };
    };
    const url = await serve(t, respond, clock);
    const subject = new Integration({ url, secret: SECRET, token: TOKEN, ...UNPACED, now: clock.now });
    return runChecks(bind(checksOfIntegrations, subject, { withinMs: 600_000 }));
  };

  await t.test('a good integration passes every check', async (t) => {
    const outcomes = await check(t, {});
    t.ok(outcomes.length >= 16);
    for (const { id, result, reason, received } of outcomes) t.equal(result, 'pass', `${id} ${reason} ${received}`);
  });

  await t.test('the URL of an action that cannot be requested fails its check', async (t) => {
    for (const url of ['http://[', 'javascript:alert(1)']) {
      const outcomes = await check(t, updated({ actions: { extend: { description: 'Extend', url } } }));
      t.match(
        outcomes.filter(({ result }) => result === 'fail'),
        [{ id: 'I-25', expected: 'a text in description and a URL in url of extend' }],
      );
    }
  });

  await failsOnly(t, checksOfIntegrations, flaws, check);
});
