// Bench: turns and templates per second compared with the public flow runner, and the cost of a turn as journeys and sessions grow
import { PiscinaPool } from '../../core/adapters/workers/piscina-pool.js';
import { compile } from '../../plugins/journeys/engine/compile.js';
import { render } from '../../plugins/journeys/engine/expression/expression.js';
import type { Container } from '../../plugins/journeys/engine/floip.js';
import type { Environment, JourneyEvent, Session, Signal } from '../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../plugins/journeys/engine/shared-definition.js';
import { step } from '../../plugins/journeys/engine/step.js';
import { runStep } from '../../plugins/journeys/engine/step.task.js';
import { journeyStep } from '../../plugins/journeys/running/run-turn.js';
import { median, printTable } from './measuring/table.js';
import { answers, menuJourney } from './menu-journey.js';
import { evaluatePublicly, publicConversation, versions } from './public-runner.js';
import { measureTurnSize } from './turn-size.js';

const ROUNDS = 5;
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 400);
/** Both engines start a new session after this many turns. */
const TURNS_PER_SESSION = 20;
/** A session has at most 1000 turns, including the start. */
const OLDEST = 990;
const environment: Environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
const start: Signal = { kind: 'start', session: 's', journey: 'j', revision: 'r', contact: { name: 'Bo' }, globals: {} };
const say = (turn: number): Signal => ({ kind: 'input', input: { text: `Option ${answers[turn % answers.length]}`, type: 'text' } });

const texts = (events: readonly JourneyEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'message_out') return [];
    const turn = event.turn as unknown as { text?: { body: string }; interactive?: { body: { text: string } } };
    return [[turn.text?.body ?? turn.interactive?.body.text, ...event.options.map((option) => `[${option}]`)].join(' ')];
  });

/** Median calls per second of each case. The cases alternate in every round, so that machine load affects all of them alike. */
async function rates(cases: Readonly<Record<string, () => unknown>>): Promise<Map<string, number>> {
  const all = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(cases)) {
      const began = performance.now();
      let count = 0;
      while (performance.now() - began < ROUND_MS) {
        const result = work();
        if (result instanceof Promise) await result;
        count++;
      }
      // The first round warms up.
      if (round >= 0) all.get(name)!.push((count * 1000) / (performance.now() - began));
    }
  }
  return new Map([...all].map(([name, values]) => [name, median(values)]));
}

const short = (value: number): string => (value >= 10_000 ? `${(value / 1000).toFixed(0)}k` : value.toFixed(0));
const microseconds = (perSecond: number): string => (1e6 / perSecond).toFixed(1);

/** A conversation whose session stays an object in memory. */
function ownConversation(container: Container) {
  const definition = compile(container);
  const definitions = () => definition;
  let session: Session | null = null;
  const send = (signal: Signal): string[] => {
    const stepped = step({ definitions, session, signal, environment });
    session = stepped.session;
    return texts(stepped.events);
  };
  return { start: () => send(start), say: (turn: number) => send(say(turn)) };
}

// The public packages log every turn and every unusual date. Disabled, as logging slows them down.
const { log } = console;
console.info = console.warn = console.debug = () => {};

console.log(`Menu journey, one core, in memory, ${TURNS_PER_SESSION} turns per session; compared with ${versions.join(' and ')}\n`);
{
  const own = ownConversation(menuJourney());
  let peer = await publicConversation();
  const same = JSON.stringify([own.start(), own.say(0), own.say(1)]);
  const theirs = JSON.stringify([await peer.start(), await peer.say('a'), await peer.say('b')]);
  if (same !== theirs) throw new Error(`the engines give different results:\n${same}\n${theirs}`);
  let [mine, its] = [0, 0];
  const measured = await rates({
    'public runner': async () => {
      if (its++ % TURNS_PER_SESSION === 0) {
        peer = await publicConversation();
        await peer.start();
      }
      await peer.say(answers[its % answers.length]!);
    },
    posthorn: () => {
      if (mine++ % TURNS_PER_SESSION === 0) own.start();
      own.say(mine);
    },
  });
  const floor = measured.get('public runner')!;
  printTable(
    ['', 'turns/s', 'us/turn', 'ratio'],
    [...measured].map(([name, rate]) => [name, short(rate), microseconds(rate), (rate / floor).toFixed(1)]),
  );
}

console.log('\nTemplates, one after the other\n');
{
  const context = { contact: { name: 'Bo Ek', age: 42, city: 'Bergen' }, flow: { items: [1, 2, 3] }, order: { total: 12, city: 'Oslo' } };
  const templates = [
    'Hello @contact.name, welcome!',
    'You are @(contact.age + 1) next year.',
    '@(upper(contact.name)) lives in @contact.city',
    'Total: @(order.total * 3 - 4)',
    '@(first_word(contact.name)), @(concatenate(order.city, ", ", contact.city))',
    'Nothing to work out in this one',
    '@(if(contact.age > 40, "senior", "junior"))',
  ];
  const own = (template: string): string => render(template, [context], { now: 0, timeZone: 'UTC', random: () => 0.5 }).value;
  const agreed = templates.filter((template) => own(template) === evaluatePublicly(template, context));
  console.log(`${agreed.length} of ${templates.length} templates give the same result in both, and are measured`);
  let [mine, its] = [0, 0];
  const measured = await rates({
    'public evaluator': () => evaluatePublicly(agreed[its++ % agreed.length]!, context),
    posthorn: () => own(agreed[mine++ % agreed.length]!),
  });
  const floor = measured.get('public evaluator')!;
  printTable(
    ['', 'templates/s', 'us', 'ratio'],
    [...measured].map(([name, rate]) => [name, short(rate), microseconds(rate), (rate / floor).toFixed(1)]),
  );
}

console.log('\nThe session as a string\n');
{
  const definitions = { r: shareDefinition(menuJourney()) };
  const opened = runStep({ definitions, session: null, signal: start, environment }).session;
  const inline = await rates({ 'in one thread': () => runStep({ definitions, session: opened, signal: say(0), environment }) });
  const rows = [...inline].map(([name, rate]) => [name, '1', short(rate), microseconds(rate), microseconds(rate)]);
  const pool = new PiscinaPool({ maxThreads: 2 });
  for (const conversations of [1, 16, 256]) {
    const sessions = Array.from({ length: conversations }, () => opened);
    const turns = async (): Promise<void> => {
      const results = await Promise.all(
        sessions.map((session, i) => pool.run(journeyStep, { definitions, session, signal: say(i), environment })),
      );
      for (const [i, { session }] of results.entries()) sessions[i] = session;
    };
    for (let i = 0; i < 20; i++) await turns();
    const measured: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < conversations; i++) sessions[i] = opened;
      const [began, busy] = [performance.now(), performance.eventLoopUtilization()];
      let count = 0;
      while (performance.now() - began < ROUND_MS) {
        await turns();
        count += conversations;
      }
      const { active } = performance.eventLoopUtilization(busy);
      measured.push([(count * 1000) / (performance.now() - began), (active * 1000) / count]);
    }
    const rate = median(measured.map(([perSecond]) => perSecond));
    rows.push([
      'through the pool',
      String(conversations),
      short(rate),
      microseconds(rate),
      median(measured.map(([, us]) => us)).toFixed(1),
    ]);
  }
  await pool.stop();
  printTable(['', 'conversations', 'turns/s', 'us/turn', 'main thread us/turn'], rows);
}

console.log('\nThe cost of a turn by the size of the journey, with the session as a string\n');
printTable(
  ['blocks', 'definition bytes', 'us/turn', 'ratio to the first (goal 1.30)'],
  measureTurnSize({ roundMs: ROUND_MS }).map(({ blocks, bytes, us, ratio }) => [
    String(blocks),
    String(bytes),
    us.toFixed(1),
    ratio.toFixed(2),
  ]),
);

console.log('\nThe cost of a turn by the age of the session, with the session as a string\n');
{
  const cases: Record<string, () => unknown> = {};
  const about = new Map<string, string>();
  const definitions = { r: shareDefinition(menuJourney()) };
  let { session } = runStep({ definitions, session: null, signal: start, environment });
  for (let turn = 1; turn <= OLDEST; turn++) {
    session = runStep({ definitions, session, signal: say(turn), environment }).session;
    if (![1, 100, OLDEST].includes(turn)) continue;
    const old = session;
    about.set(`after ${turn} turns`, `${session.length}`);
    cases[`after ${turn} turns`] = () => runStep({ definitions, session: old, signal: say(0), environment });
  }
  const measured = await rates(cases);
  const [first] = [...measured.values()];
  printTable(
    ['', 'session bytes', 'us/turn', 'ratio to the first'],
    [...measured].map(([name, rate]) => [name, about.get(name)!, microseconds(rate), (first! / rate).toFixed(2)]),
  );
}
console.log = log;
