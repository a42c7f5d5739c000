import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { telegramStandIn } from '../../plugins/telegram/testing/index.js';
import { runUntilKilled } from './killed-process.js';
import { randomNumbers } from './plan.js';
import { startTelegramPlatform, type TelegramSettings } from './telegram-process.js';

const PEOPLE = [7_000_001, 7_000_002, 7_000_003];
const DRAIN_MS = 20_000;
/** Between two messages to a person. */
const SPACING_MS = 1_100;
const MAX_LIFE_MS = 700;

/** The counts of a run. */
export interface TelegramOutcome {
  readonly rounds: number;
  /** Messages that people wrote, and those that are stored. */
  readonly written: number;
  readonly stored: number;
  /** Messages whose send was acknowledged, and all that Telegram took, doubles included. */
  readonly acknowledged: number;
  readonly sent: number;
  readonly doubles: number;
  readonly problems: readonly string[];
}

/**
 * Kills a platform with a Telegram bot again and again, while people write to it and it sends; then lets one finish, and compares what people wrote with
 * what is stored, and what was acknowledged with what Telegram has.
 */
export async function telegramRounds({ folder, rounds, seed }: { folder: string; rounds: number; seed: number }): Promise<TelegramOutcome> {
  const random = randomNumbers(seed);
  const standIn = await telegramStandIn();
  const settings: TelegramSettings = { folder, token: standIn.token, apiUrl: standIn.url, people: PEOPLE };
  const [written, acknowledged] = [new Map<number, string[]>(), new Set<string>()];
  const next = PEOPLE.map(() => 1);
  let isWriting = true;
  // A bot can write only to people who have started it.
  for (const person of PEOPLE) await write(person, 'start');
  const writers = PEOPLE.map(async (person) => {
    for (let n = 1; isWriting; n++) {
      await write(person, `in ${person}:${n}`);
      await sleep(20 + 60 * random());
    }
  });
  const script = fileURLToPath(new URL('./telegram-process.js', import.meta.url));
  for (let round = 0; round < rounds; round++) {
    const lines = await runUntilKilled(script, [JSON.stringify({ ...settings, next })], {
      output: `${folder}.printed`,
      until: () => sleep(MAX_LIFE_MS * random()),
    });
    for (const line of lines) {
      const [word, text] = line.split(' ') as [string, string];
      const [person, n] = text.split(':').map(Number) as [number, number];
      if (word === 'acknowledged') acknowledged.add(text);
      next[PEOPLE.indexOf(person)] = Math.max(next[PEOPLE.indexOf(person)]!, n + 1);
    }
  }
  isWriting = false;
  await Promise.all(writers);
  const last = await startTelegramPlatform(settings);
  const problems: string[] = [];
  const end = performance.now() + DRAIN_MS + SPACING_MS * Math.max(...next);
  while (!(await isDone()) && performance.now() < end) await sleep(100);
  let stored = 0;
  for (const person of PEOPLE) {
    const texts = (await inboundOf(person)).map(({ content }) => (content.text as { body: string }).body);
    stored += texts.length;
    compare(`what ${person} wrote`, texts, written.get(person)!);
    const sent = sentTo(person);
    const firsts = [...new Set(sent)];
    const missing = [...acknowledged].filter((text) => text.startsWith(`${person}:`) && !firsts.includes(text));
    if (missing.length > 0) problems.push(`acknowledged and not sent to ${person}: ${missing.join(', ')}`);
    const numbers = firsts.map((text) => Number(text.split(':')[1]));
    if (numbers.some((n, i) => i > 0 && n < numbers[i - 1]!)) problems.push(`out of order to ${person}: ${numbers.join(' ')}`);
  }
  await last.platform.stop();
  await standIn.stop();
  const sent = PEOPLE.flatMap(sentTo);
  const counts = { written: [...written.values()].flat().length, stored, acknowledged: acknowledged.size, sent: sent.length };
  return { rounds, ...counts, doubles: sent.length - new Set(sent).size, problems };

  async function write(person: number, text: string): Promise<void> {
    await standIn.write(person, text);
    written.set(person, [...(written.get(person) ?? []), text]);
  }

  function sentTo(person: number): string[] {
    return standIn.sent.filter(({ message }) => message.chat.id === person).map(({ message }) => message.text ?? '');
  }

  async function inboundOf(person: number) {
    const contact = await last.platform.contacts.known(last.number.uuid, String(person));
    const conversation = contact && (await last.platform.conversations.ofContact(last.number.uuid, contact.uuid));
    const all = conversation ? await last.platform.conversations.newest(conversation.uuid, 100_000) : [];
    return all.filter(({ direction }) => direction === 'inbound').reverse();
  }

  async function isDone(): Promise<boolean> {
    for (const person of PEOPLE) if ((await inboundOf(person)).length < written.get(person)!.length) return false;
    const sent = new Set(PEOPLE.flatMap(sentTo));
    return [...acknowledged].every((text) => sent.has(text));
  }

  function compare(what: string, found: readonly string[], wanted: readonly string[]): void {
    const missing = wanted.filter((text) => !found.includes(text));
    if (missing.length > 0) problems.push(`${what}: not stored: ${missing.join(', ')}`);
    else if (found.length !== wanted.length) problems.push(`${what}: stored twice: ${found.length} of ${wanted.length}`);
    else if (found.some((text, i) => text !== wanted[i])) problems.push(`${what}: stored in another order`);
  }
}
