import t from 'tap';
import type { Tap } from '#core/testing';
import { bind, runChecks } from '../../sandbox/conform/run.js';
import { checksOfWebhooks, Webhook } from '../../sandbox/conform/webhook/index.js';
import { type Answer, type Incoming, type Json, pairOfRequests, SECRET, SubjectClock, serve, verifiers } from './connector-subject.js';
import { failsOnly, UNPACED } from './flawed.js';

interface Flaw {
  readonly verify?: (incoming: Incoming) => boolean;
  readonly refusal?: number;
  readonly respond?: (incoming: Incoming) => Promise<Answer | undefined> | Answer | undefined;
}

const FAILED: Answer = { status: 500 };
const textOf = ({ json }: Incoming): string => json?.messages?.[0]?.text?.body ?? '';
const failsWhen = (fits: (json: Json, incoming: Incoming) => unknown): Flaw => ({
  respond: (incoming) => (fits(incoming.json ?? {}, incoming) ? FAILED : undefined),
});
const slow = (ms: number): Flaw => ({
  respond(incoming) {
    if (textOf(incoming).startsWith('How long')) incoming.clock.pass(ms);
    return undefined;
  },
});
const subscription = ({ request }: Incoming) => request.headers['x-svc-hook-subscription'];
const message = (json: Json): Json => json.messages?.[0] ?? {};

function failsTwice(): Flaw {
  const seen = new Set<string>();
  return failsWhen((json, { body }) => message(json).text?.body === 'Twice' && seen.size === seen.add(String(body)).size);
}

/** For each check the receiver that fails it. */
const flaws: Readonly<Record<string, Flaw>> = {
  'W-01': { verify: () => false },
  'W-02': slow(5_001),
  'W-03': slow(1_001),
  'W-04': slow(201),
  'W-05': { verify: verifiers.acceptsUnsigned },
  'W-06': { verify: verifiers.acceptsAnyBase64 },
  'W-07': { verify: verifiers.acceptsHex },
  'W-08': { verify: verifiers.acceptsOtherSecret },
  'W-09': { verify: verifiers.remembersSignatures },
  'W-10': { refusal: 500 },
  // Decodes the texts of messages only.
  'W-11': { verify: (incoming) => (textOf(incoming).includes('Čau') ? verifiers.readsLatin1(incoming) : verifiers.right(incoming)) },
  'W-12': { verify: verifiers.serializesAgain },
  'W-13': failsWhen((_, { body }) => body.includes('12345678901234567890')),
  'W-14': { verify: verifiers.looksForCapitals },
  'W-15': failsWhen((json) => message(json).type === 'location'),
  'W-16': failsWhen((json) => message(json).interactive?.type === 'list_reply'),
  'W-17': failsWhen((json) => json.statuses?.[0]?.status === 'read'),
  'W-18': failsWhen((json) => json.statuses?.[0]?.errors),
  'W-19': failsWhen((json) => message(json).errors),
  'W-20': failsWhen((json) => message(json).type === 'reaction' && message(json).reaction.emoji === undefined),
  'W-21': failsWhen((json) => message(json).context && message(json).context.id === undefined),
  'W-22': failsWhen((_, incoming) => subscription(incoming) === 'svc'),
  'W-23': failsWhen((_, incoming) => subscription(incoming) === 'journey_outbound'),
  'W-24': failsWhen((json) => json.unknown_field || json.numbers || message(json).type === 'conformance_unknown'),
  'W-25': failsTwice(),
  'W-26': failsWhen((_, { body }) => body.length > 100_000),
  'W-27': { respond: ({ json }) => (json === undefined ? { status: 200 } : undefined) },
  'W-28': (() => {
    const isPair = pairOfRequests();
    return {
      respond: async (incoming: Incoming) => (textOf(incoming).includes('of two') && (await isPair()) ? { status: 503 } : undefined),
    };
  })(),
};

t.test('webhook receivers', async (t) => {
  const check = async (t: Tap, { verify = verifiers.right, refusal = 401, respond }: Flaw) => {
    const clock = new SubjectClock();
    const url = await serve(
      t,
      async (incoming) => {
        if (!verify(incoming)) return { status: refusal };
        return (await respond?.(incoming)) ?? { status: incoming.json === undefined ? 400 : 200 };
      },
      clock,
    );
    const subject = new Webhook({ url, secret: SECRET, ...UNPACED, now: clock.now });
    return runChecks(bind(checksOfWebhooks, subject, { withinMs: 600_000 }));
  };

  await t.test('a good receiver passes every check', async (t) => {
    const outcomes = await check(t, {});
    t.ok(outcomes.length >= 12);
    for (const { id, result, received } of outcomes) t.equal(result, 'pass', `${id} ${received}`);
  });

  await failsOnly(t, checksOfWebhooks, flaws, check, 4);
});
