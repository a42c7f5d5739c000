import Joi from 'joi';
import { beforeCommit, type Contributions, collection, definePlugin, deliverySettled, type HttpOutcome, type JsonObject } from '#core';
import { ConnectionRefused } from '#core/messaging';
import { startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';

const OWLERY = 'https://owls.test';
const LIMITS = { deadlineMs: 5_000, maxResponseBytes: 1_024 } as const;
export const TOKEN = 'token-of-hedwig';

const textOf = (outcome: HttpOutcome): string => (outcome.kind === 'response' ? new TextDecoder().decode(outcome.body) : '');
const hooks = collection<{ number: string; calls: string[] }>({ key: 'number', tenant: { number: 'number' } });
export const hookCalls = hooks;

type Run = NonNullable<Contributions['loops']>[number]['run'];
/** The loop of an owl, with its token. */
export type OwlRun = (...about: [...Parameters<Run>, token: string]) => Promise<void>;

/** A channel to a service that knows an owl by its token. Its loop runs what the test gives. */
export const owlPost = definePlugin<{ owls?: JsonObject[]; run?: OwlRun; url?: string }, 'owls' | 'url'>({
  name: 'owl-post',
  version: '1.0.0',
  collections: { hooks },
  options: Joi.object({
    owls: Joi.array().items(Joi.object().unknown()).default([]),
    run: Joi.function(),
    url: Joi.string().default(OWLERY),
  }),
  register({ store, http, numbers, messages, connections, deliveries }, { owls, run, url }) {
    const called = async (tx: Parameters<typeof connections.stop>[0], number: string, call: string) => {
      const { calls = [] } = (await tx.in(hooks).get(number)) ?? {};
      tx.in(hooks).put({ number, calls: [...calls, call] });
    };
    return {
      channels: [
        {
          type: 'owl',
          connection: {
            schema: Joi.object({
              token: Joi.string()
                .min(8)
                .pattern(/^[a-z-]+$/)
                .required()
                .description('The token of the owl.'),
              nest: Joi.string().default('north').description('Where the owl lives.'),
              flights: Joi.number().integer(),
            }),
            secrets: ['token'],
            async check({ token, ...given }) {
              const outcome = await http.send({ method: 'GET', url: `${url}/me?token=${token}`, ...LIMITS });
              if (outcome.kind !== 'response') throw new ConnectionRefused('the owlery does not respond', { isUnreachable: true });
              if (outcome.status !== 200) throw new ConnectionRefused(`no owl has the token ${token}`);
              const { id, name } = JSON.parse(textOf(outcome));
              return { address: id, name, settings: { ...given, name } };
            },
            connected: (tx, { number, settings }, { address }) => called(tx, number, `${address} connected to ${settings.nest}`),
            disconnected: (tx, { number }) => called(tx, number, 'disconnected'),
            view: ({ number, settings }) => {
              if (settings.nest === 'fallen') throw new Error('the nest has fallen');
              return { perch: `perch of ${number}` };
            },
          },
          async deliver(tx, { number, conversation, message }) {
            const destination = await connections.destination(tx, number.uuid);
            if (!destination) return messages.undeliverable(tx, number, message.uuid, 'not_connected');
            const about = { message: message.uuid, conversation: conversation.uuid, recipient: message.to };
            await deliveries.post(tx, {
              ...{ sender: 'owl', webhook: destination, event: message.uuid, kind: 'network', body: { to: message.to }, ...about },
            });
          },
        },
      ],
      senders: [
        {
          name: 'owl',
          destination: (tx, number) => connections.destination(tx, number),
          async request({ entry: { record, content } }) {
            const token = await connections.secret(record.number, 'token');
            const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
            return { method: 'POST', url: `${url}/letters`, headers, body: content.body as string, signatures: [], ...LIMITS };
          },
          async read({ entry: { record } }, outcome) {
            const status = outcome.kind === 'response' ? outcome.status : 504;
            if (status === 200) return { kind: 'delivered', status };
            const about = { code: status, title: 'The owl was dismissed', fix: 'Hire the owl again.' };
            if (status === 401) await store.transaction((tx) => connections.stop(tx, record.number, about));
            return { kind: 'retry', status, reason: `owl_${status}`, error: 'the owlery refused it', afterMs: 0 };
          },
        },
      ],
      on: [
        beforeCommit(deliverySettled, async ({ delivery: { message, number, state, reason, sender } }, tx) => {
          if (sender !== 'owl' || message === undefined) return;
          const record = await numbers.require(number);
          if (state === 'delivered') await messages.accepted(tx, record, message);
          else await messages.undeliverable(tx, record, message, reason ?? state);
        }),
      ],
      loops: run
        ? [{ name: 'owl', type: 'owl', run: async (...about) => run(...about, await connections.secret(about[0].number, 'token')) }]
        : [],
      start: () => connections.connectAll('owl', owls),
    };
  },
});

type OwlOptions = Parameters<typeof owlPost>[0];

/** A platform with the channel, whose service knows the owls `owls` by their tokens. */
export async function startOwls(t: Tap, { owls, run, ...options }: OwlOptions & Omit<TestPlatformOptions, 'plugins'> = {}) {
  const plugin = owlPost({ ...(owls && { owls }), ...(run && { run }) });
  const test = await startPlatform(t, { plugins: [plugin], ...options });
  test.http.answer(`GET ${OWLERY}/me?token=${TOKEN}`, { body: { id: 'owl-1', name: 'Hedwig' } });
  return { ...test, ...usingOwls(test) };
}

function usingOwls({ platform, admin, http }: Awaited<ReturnType<typeof startPlatform>>) {
  const author = { type: 'SYSTEM' as const, id: '1', name: 'Test' };
  const turn = { type: 'text' as const, text: { body: 'hi' } };
  return {
    /** The calls to the service: about tokens, and with letters. */
    says: { me: `GET ${OWLERY}/me*`, letters: `POST ${OWLERY}/letters` },
    connect: (settings: object = { token: TOKEN }) => admin('POST', '/connections', { type: 'owl', settings }),
    async write(number: string, to = 'ron') {
      const record = await platform.numbers.require(number);
      return platform.store.transaction((tx) => platform.channels.sendTo(tx, record, { id: to, address: to }, { turn, author }));
    },
    /** The tokens of the letters that the service got. */
    letters: () => http.callsTo(`POST ${OWLERY}/letters`).map(({ headers }) => headers.authorization),
  };
}
