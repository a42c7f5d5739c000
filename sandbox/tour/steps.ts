import { createHmac } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TourContext, TourEvent } from './place.js';

/** One step of the tour. Its commands are shown; they run here when the user presses Enter, or the user runs them elsewhere. */
export interface Step {
  readonly title: string;
  /** Lines that tell the user where to look, and why. */
  text(place: TourContext): readonly string[] | Promise<readonly string[]>;
  /** The arguments of `posthorn`. */
  commands?(place: TourContext): readonly (readonly string[])[];
  /** Does the step for the user, instead of running `commands` one by one. */
  perform?(place: TourContext): Promise<void>;
  /** Resolves when it has really happened, with one line that says what. */
  happened(place: TourContext): Promise<string>;
}

/** Enough for the retries of a flaky endpoint. */
const MAX_TIMERS = 6;
/** The checks of signatures; all of them take about 30 seconds. */
const CHECKS = 'C-01,C-02,C-03,C-04,C-05';
const [CORRECT, MISTAKE] = ['  text(', '  txet('];

export const steps: readonly Step[] = [
  {
    title: 'A sandbox runs',
    text: ({ sandbox }) => [
      `It is a whole platform in this process, at ${sandbox.api}, with a demo: a channel with a`,
      'connector, a webhook receiver and a journey. It needs no account and no network.',
    ],
    async happened({ sandbox }) {
      const { status } = await fetch(`${sandbox.api}/ready`);
      if (status !== 200) throw new Error(`the sandbox responded ${status} to GET /ready`);
      return 'GET /ready responded 200';
    },
  },
  {
    title: 'Three lines are enough',
    text: ({ sandbox, token }) => [
      `API      ${sandbox.api}/v1, described at ${sandbox.api}/docs`,
      `Console  ${sandbox.console?.url}`,
      `Token    ${token}`,
      'Call the API with the token of the channel:',
      `  curl -H "authorization: Bearer ${token}" ${sandbox.api}/v1/stacks`,
    ],
    async perform({ sandbox, token }) {
      await (await fetch(`${sandbox.api}/v1/stacks`, { headers: { authorization: `Bearer ${token}` } })).text();
    },
    async happened({ next }) {
      const { data } = await next('call.answered', ({ data }) => data.number !== null && data.status < 400);
      return `${data.method} ${data.path} responded ${data.status}`;
    },
  },
  {
    title: 'Write as a contact',
    text: () => ['The journey replies, and every delivery to your services is signed.'],
    commands: () => [['send', 'hi']],
    async happened({ next }) {
      const settled = await next('delivery.settled', ({ data }) => data.delivery.subscription === 'channel');
      return `the reply was ${settled.data.delivery.state}`;
    },
  },
  {
    title: 'See it in the console',
    text: async ({ signIn }) => [
      'Open the Inbox in a browser, and tap "English" on the phone. This address signs you in, once:',
      `  ${await signIn()}`,
      'Without a browser, this command taps for you:',
    ],
    commands: () => [['send', 'English']],
    async happened({ next }) {
      const turn = await next('journey.turn_taken', () => true);
      return `the journey is at the card ${turn.data.session.card}`;
    },
  },
  {
    title: 'Make an endpoint fail, and move the time',
    text: () => [
      'A preset of faults makes the next attempts fail. Retries take up to 138 seconds; the clock of the',
      'sandbox moves to each of them immediately.',
    ],
    commands: () => [
      ['fault', 'preset', 'flaky-endpoint'],
      ['send', 'Opening hours'],
      ['clock', 'next'],
    ],
    async perform({ run, seen }) {
      await run(['fault', 'preset', 'flaky-endpoint']);
      await run(['send', 'Opening hours']);
      for (let i = 0; i < MAX_TIMERS && !seen(isRetried); i++) await run(['clock', 'next']);
    },
    async happened({ next }) {
      await next('fault.fired', () => true);
      const { data } = await next('delivery.settled', (event) => isRetried(event));
      return `the receiver failed, and the delivery arrived at attempt ${data.delivery.attempts}`;
    },
  },
  {
    title: 'Turn the conversation into a test',
    text: () => ['A conversation that took place becomes a file that posthorn test runs, without the personal data.'],
    commands: (place) => [
      ['test', 'record', '--conversation', place.conversation(), '--write', place.shown('recorded.test.yaml'), place.shown('library.md')],
      ['test', place.shown('recorded.test.yaml')],
    ],
    async happened({ folder, until, run }) {
      const file = join(folder, 'recorded.test.yaml');
      await until(() => existsSync(file));
      const code = await run(['test', file], { isQuiet: true });
      if (code !== 0) throw new Error('the recorded test failed');
      return 'the test was written, and it passes';
    },
  },
  {
    title: 'Start a connector, and check it',
    text: () => [
      'A connector passes messages between the platform and your messaging service. This writes one to',
      `start from. The tour then starts it, and checks its signatures (posthorn conform, ${CHECKS.split(',').length} of its checks).`,
    ],
    commands: ({ shown }) => [['connector', 'new', shown('connector')]],
    async happened({ folder, until, run, startConnector }) {
      await until(() => existsSync(join(folder, 'connector/connector.ts')));
      const { url, secret, channel } = await startConnector();
      if ((await run(['conform', 'connector', url, '--secret', secret, '--channel', channel, '--only', CHECKS])) !== 0)
        throw new Error('the connector failed a check');
      return 'the connector passes';
    },
  },
  {
    title: 'Break things, and read why',
    text: ({ shown }) => [
      'First a signature in hexadecimal instead of Base64, the most common mistake; then a mistake in the journey:',
      `write ${MISTAKE.trim()} instead of ${CORRECT.trim()} in ${shown('library.md')} and save it.`,
    ],
    async perform({ run, folder, delivery }) {
      const { uuid, secret, body } = await delivery();
      const hex = createHmac('sha256', secret).update(body).digest('hex');
      await run(['verify', '--delivery', uuid, '--signature', hex, '--explain'], { isShown: true });
      const file = join(folder, 'library.md');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace(CORRECT, MISTAKE));
    },
    async happened({ next }) {
      await next('advice', ({ data }) => data.name === 'source_not_loaded');
      return 'the last good version of the journey runs, and the mistake is named with its line';
    },
  },
];

const isRetried = ({ name, data }: TourEvent): boolean =>
  name === 'delivery.settled' && data.delivery.state === 'delivered' && data.delivery.attempts > 1;

/** Puts the journey of the demo into the folder, and a seed that names it, so that a change is loaded. @returns the path of the seed */
export function writeSources(folder: string): string {
  copyFileSync(new URL('../demo/library.md', import.meta.url), join(folder, 'library.md'));
  const seed = join(folder, 'seed.json');
  const journey = { number: 'web:library', name: 'Riverside Library', definition: 'library.md' };
  writeFileSync(seed, JSON.stringify({ journeys: [journey] }));
  return seed;
}
