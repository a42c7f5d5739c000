import { resolve } from 'node:path';
import { nearest } from '#core/basics';
import type { PlayedChannel } from '#core/testing';
import { loadModule } from '../../server/load-module.js';
import { CommandFailed } from '../../terminal/command-failed.js';
import { UsageError } from '../../terminal/flags.js';
import { type Paint, painter } from '../../terminal/painter.js';
import { exit, type Terminal } from '../../terminal/terminal.js';
import { FileLookup, readTestFile } from '../run/run-file.js';
import { isSelected } from '../run/run-tests.js';
import { playedChannels } from './channels.js';
import { type PlayedOn, type PlayedTest, playTests } from './play-tests.js';

/** A test file as it was played. */
interface PlayedFile {
  readonly file: string;
  readonly tests: readonly PlayedTest[];
}

/**
 * Plays the tests of files on channels, and prints one line for each. @returns the exit code
 * @throws UsageError for an unknown channel, a file with mistakes, and a selection without tests
 */
export async function runOnChannels(
  files: readonly string[],
  wanted: string,
  { name, tag, json = false }: { readonly name?: string; readonly tag?: readonly string[]; readonly json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const channels = await channelsOf(wanted, terminal.cwd);
  const paint = painter(terminal.isColoured);
  const played: PlayedFile[] = [];
  for (const file of files) {
    const path = resolve(terminal.cwd, file);
    const { tests, problems } = readTestFile(path);
    if (problems[0]) throw new UsageError(`${file}:${problems[0].at.line}: ${problems[0].message}`);
    const hasOnly = tests.some(({ only }) => only);
    const isExact = tests.some((test) => test.name === name);
    const selected = tests.filter((test) => isSelected(test, { name, tags: tag, hasOnly }, isExact));
    const results = await playTests(selected, channels, new FileLookup(path, { cwd: terminal.cwd }));
    played.push({ file, tests: results });
    if (!json) for (const line of results.flatMap((test) => testLines(test, paint))) terminal.out(line);
  }
  const all = played.flatMap(({ tests }) => tests);
  if (!all.some(({ left }) => left === undefined))
    throw new CommandFailed('no test that can be played on channels is selected', {
      code: 'usage',
      exit: exit.usage,
      result: { v: 1, files: played },
    });
  const failed = all.flatMap(({ channels }) => channels).filter(({ problems }) => problems.length > 0).length;
  if (json) terminal.out(JSON.stringify({ v: 1, failed, files: played }));
  else terminal.out(`\n${endLine(all, channels, failed)}`);
  return failed > 0 ? exit.failed : exit.ok;
}

/** @throws UsageError for an unknown name, or a file without a channel */
async function channelsOf(wanted: string, cwd: string): Promise<readonly PlayedChannel[]> {
  if (wanted === 'all') return playedChannels;
  const names = playedChannels.map(({ name }) => name);
  return Promise.all(
    wanted.split(',').map(async (one) => {
      const known = playedChannels.find(({ name }) => name === one);
      if (known) return known;
      if (/[./]/.test(one)) return channelIn(one, cwd);
      const meant = nearest(one, names);
      throw new UsageError(
        `--channels knows no channel '${one}'; ${meant === undefined ? `it knows ${names.join(', ')}` : `did you mean '${meant}'?`}`,
      );
    }),
  );
}

async function channelIn(file: string, cwd: string): Promise<PlayedChannel> {
  const { exports } = await loadModule(resolve(cwd, file));
  const found = Object.values(exports).find((one) => {
    const { name, open, plugins } = (one ?? {}) as Partial<PlayedChannel>;
    return typeof name === 'string' && typeof open === 'function' && typeof plugins === 'function';
  });
  if (!found) throw new UsageError(`${file} exports no PlayedChannel of posthorn/testing`);
  return found as PlayedChannel;
}

function testLines({ name, left, channels }: PlayedTest, paint: Paint): string[] {
  if (left !== undefined) return [paint('dim', `- ${name}: left out, because ${left}`)];
  const width = Math.max(...channels.map(({ title }) => title.length));
  return [paint('bold', name), ...channels.flatMap((one, i) => channelLines(one, i === 0, width, paint))];
}

function channelLines({ title, steps, problems, notes }: PlayedOn, isFirst: boolean, width: number, paint: Paint): string[] {
  const mark = problems.length > 0 ? paint('red', '✗') : paint('green', '✓');
  const messages = steps.reduce((sum, { seen }) => sum + seen.length, 0);
  const same = problems.length > 0 ? 'differs' : isFirst ? '' : 'the same texts and options';
  const about = [`${steps.length} turns, ${messages} messages`, same, ...notes].filter((part) => part !== '');
  return [
    `  ${mark} ${title.padEnd(width)}  ${about.join('; ')}`,
    ...problems.map(({ step, what }) => paint('red', `      after ${shown(steps[step]?.said ?? steps.at(-1)?.said)}: ${what}`)),
  ];
}

const shown = (said: string | undefined): string => (said === undefined ? 'the start' : `'${said}'`);

function endLine(tests: readonly PlayedTest[], channels: readonly PlayedChannel[], failed: number): string {
  const played = tests.filter(({ left }) => left === undefined).length;
  const left = tests.length - played;
  const about = `${played} ${played === 1 ? 'conversation' : 'conversations'} on ${channels.length} channels${left > 0 ? `, ${left} left out` : ''}`;
  return failed > 0 ? `${about}: ${failed} differ` : `${about}: no difference`;
}
