import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ChannelNetwork, channelNetworks } from './channel-networks.js';
import { type ChannelSettings, startChannelPlatform } from './channel-process.js';
import { freePort } from './free-port.js';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';

/** An attempt that was interrupted twice is repeated after a minute; on a slow machine each is, as no process lives long enough. */
const DRAIN_MS = 150_000;
const MAX_LIFE_MS = 700;

/** The counts of a run. */
export interface ChannelOutcome {
  readonly rounds: number;
  /** Messages that people wrote, and those that are stored. */
  readonly written: number;
  readonly stored: number;
  /** Messages whose send was acknowledged, and all that the service took, doubles included. */
  readonly acknowledged: number;
  readonly sent: number;
  readonly doubles: number;
  readonly problems: readonly string[];
}

interface Run {
  readonly channel: keyof typeof channelNetworks;
  readonly folder: string;
  readonly rounds: number;
  readonly seed: number;
}

/**
 * Kills a platform with a channel again and again, while people write to it and it sends; then lets one finish, and compares what people wrote with
 * what is stored, and what was acknowledged with what the service has.
 */
export async function channelRounds({ channel: name, folder, rounds, seed }: Run): Promise<ChannelOutcome> {
  const random = randomNumbers(seed);
  const network: ChannelNetwork = await channelNetworks[name]();
  const { channel, people, spacingMs, sentTo } = network;
  const settings: ChannelSettings = { folder, channel, options: network.options, port: await freePort(), people };
  if (network.connected) await tellCallbacks();
  const [written, acknowledged] = [new Map<string, string[]>(), new Set<string>()];
  const next = people.map(() => 1);
  let isWriting = true;
  const writers = people.map(async (person) => {
    // A bot cannot write to a person who has not begun.
    await write(person, 'begin');
    for (let n = 1; isWriting; n++) {
      await write(person, `in ${person}:${n}`);
      await sleep(20 + 60 * random());
    }
  });
  const script = fileURLToPath(new URL('./channel-process.js', import.meta.url));
  for (let round = 0; round < rounds; round++) {
    const lines = await runUntilKilled(script, [JSON.stringify({ ...settings, next })], {
      output: `${folder}.printed`,
      until: () => sleep(MAX_LIFE_MS * random()),
    });
    for (const line of lines) {
      const [word, text] = line.split(' ') as [string, string];
      const [person, n] = text.split(':') as [string, string];
      if (word === 'acknowledged') acknowledged.add(text);
      const i = people.indexOf(person);
      next[i] = Math.max(next[i]!, Number(n) + 1);
    }
  }
  isWriting = false;
  const last = await startChannelPlatform(settings);
  await Promise.all(writers);
  const problems: string[] = [];
  const end = performance.now() + DRAIN_MS + spacingMs * Math.max(...next);
  while (!(await isDone()) && performance.now() < end) await sleep(100);
  let stored = 0;
  for (const person of people) {
    const texts = (await inboundOf(person)).map(({ content }) => (content.text as { body: string }).body);
    stored += texts.length;
    compare(`what ${person} wrote`, texts, written.get(person)!);
    const firsts = [...new Set(sentTo(person))];
    const missing = [...acknowledged].filter((text) => text.startsWith(`${person}:`) && !firsts.includes(text));
    if (missing.length > 0) problems.push(`acknowledged and not sent to ${person}: ${missing.join(', ')}`);
    const numbers = firsts.map((text) => Number(text.split(':')[1]));
    if (numbers.some((n, i) => i > 0 && n < numbers[i - 1]!)) problems.push(`out of order to ${person}: ${numbers.join(' ')}`);
  }
  await last.server.stop();
  await network.stop();
  const sent = people.flatMap(sentTo);
  const counts = { written: [...written.values()].flat().length, stored, acknowledged: acknowledged.size, sent: sent.length };
  return { rounds, ...counts, doubles: sent.length - new Set(sent).size, problems };

  /** Tells the service where the platform is called: by the connection of the number, which a first start makes. */
  async function tellCallbacks(): Promise<void> {
    const { platform, server, number } = await startChannelPlatform(settings);
    const connection = (await platform.connections.of(number.uuid))!;
    network.connected!((await platform.connections.types().get(channel)!.view!(connection)) as Readonly<Record<string, unknown>>);
    await server.stop();
  }

  async function write(person: string, text: string): Promise<void> {
    await network.write(person, text);
    written.set(person, [...(written.get(person) ?? []), text]);
  }

  async function inboundOf(person: string) {
    const contact = await last.platform.contacts.known(last.number.uuid, person);
    const conversation = contact && (await last.platform.conversations.ofContact(last.number.uuid, contact.uuid));
    const all = conversation ? await last.platform.conversations.newest(conversation.uuid, 100_000) : [];
    return all.filter(({ direction }) => direction === 'inbound').reverse();
  }

  async function isDone(): Promise<boolean> {
    for (const person of people) if ((await inboundOf(person)).length < written.get(person)!.length) return false;
    const sent = new Set(people.flatMap(sentTo));
    return [...acknowledged].every((text) => sent.has(text));
  }

  function compare(what: string, found: readonly string[], wanted: readonly string[]): void {
    const missing = wanted.filter((text) => !found.includes(text));
    if (missing.length > 0) problems.push(`${what}: not stored: ${missing.join(', ')}`);
    else if (found.length !== wanted.length) problems.push(`${what}: stored twice: ${found.length} of ${wanted.length}`);
    else if (found.some((text, i) => text !== wanted[i])) problems.push(`${what}: stored in another order`);
  }
}
