import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import {
  callOf,
  type EffectResult,
  type HttpEffect,
  type ModelEffect,
  type Perform,
  redacted,
  requestText,
} from '../../../plugins/journeys/plugin.js';
import { ownFolder } from '../../client/run-file.js';
import { UsageError } from '../../terminal/flags.js';
import { MARK, Mask } from './mask.js';
import type { RecordMode } from './record-mode.js';
import { explainMiss, isSame, lineOf, maskedRecording, type Recording, readLine, requestOf } from './recording.js';

/**
 * The cassette of a test file: below `.posthorn/cassettes` in the folder where the tests run, under the path of the test file. A file
 * outside of that folder has its cassette in its own folder.
 */
export function cassetteOf(testFile: string, cwd: string): string {
  const path = resolve(cwd, testFile);
  const inside = relative(cwd, path);
  const isOutside = inside.startsWith('..') || isAbsolute(inside);
  const name = (isOutside ? basename(path) : inside).replace(/(?:\.test)?\.ya?ml$/i, '');
  return join(ownFolder(isOutside ? dirname(path) : cwd), 'cassettes', `${name}.jsonl`);
}

type Http = Extract<EffectResult, { kind: 'http' }>;
type Recordable = HttpEffect | ModelEffect;

/** One user of a cassette, and the recordings that it has used. */
interface Player {
  readonly used: Set<Recording>;
  readonly live: Perform;
}

/** The server would reject a masked credential, and its refusal would be recorded. */
const MASKED = `this request has a credential from a recorded answer, which was masked; record all requests again with --record=all`;

/**
 * The recorded HTTP requests and model replies of one test file, in a file with one JSON object per line. Credentials are masked before
 * anything is written.
 */
export class Cassette {
  readonly file: string;
  readonly #mode: RecordMode;
  readonly #shown: string;
  readonly #mask = new Mask();
  /** The mask knew this many values when it was applied to the recordings. */
  #maskedValues = 0;
  #recordings: Recording[];
  /** The recordings of this run, with the answers as they arrived: a journey may need a masked token for its next request. */
  readonly #fresh = new Map<Recording, EffectResult>();
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * @param shown the file in messages, which transcripts and snapshots contain
   * @throws UsageError that names the line when the file cannot be read
   */
  constructor(file: string, mode: RecordMode, shown: string = file) {
    this.file = file;
    this.#shown = shown;
    this.#mode = mode;
    this.#recordings = existsSync(file) ? readRecordings(file) : [];
  }

  /** Masks a value that the exchanges may contain, such as the token of a model. Credentials that requests show are masked without it. */
  hide(secret: string): void {
    this.#mask.add(secret);
  }

  /** How many exchanges this run has recorded. */
  get recorded(): number {
    return this.#fresh.size;
  }

  /** The names of the headers, parameters and fields that were masked in this run. */
  get masked(): readonly string[] {
    return [...this.#mask.names].sort();
  }

  /**
   * Returns a function that performs HTTP and model effects from the recordings. Each caller has its own position: equal requests
   * get the recorded answers in their order, and the last one again when they are exhausted and nothing may be recorded.
   * @param live performs an effect that has no recording; called only while recording
   */
  player(live: Perform): Perform {
    const used = new Set<Recording>();
    return async (effect) => {
      if (effect.kind === 'http') return this.#http(effect, { used, live });
      if (effect.kind === 'model') return this.#model(effect, { used, live });
      return { kind: 'failed', code: 'not_recorded', reason: `a cassette has no recordings of '${effect.kind}' effects` };
    };
  }

  /** Writes the recordings of this run. The file has the same order in every run, so that changes are readable in version control. */
  save(): void {
    if (this.#fresh.size === 0) return;
    this.#maskAll();
    const isReplaced = (old: Recording): boolean =>
      this.#mode === 'all' && !this.#fresh.has(old) && [...this.#fresh.keys()].some((one) => one.request === old.request);
    const kept = this.#recordings.filter((one) => !isReplaced(one));
    // Equal requests keep the order of their answers: the sort is stable.
    const lines = kept.sort((a, b) => (a.request < b.request ? -1 : a.request > b.request ? 1 : 0)).map(lineOf);
    mkdirSync(dirname(this.file), { recursive: true });
    const draft = `${this.file}.${process.pid}.tmp`;
    writeFileSync(draft, `${lines.join('\n')}\n`);
    renameSync(draft, this.file);
  }

  async #http(effect: HttpEffect, player: Player): Promise<EffectResult> {
    const call = callOf(requestText(effect, redacted));
    this.#mask.learn(call);
    const failed = (error: string, failures: readonly string[]): Http => ({
      kind: 'http',
      call: { ...call, failures },
      answer: null,
      error,
    });
    const result = await this.#play(effect, player, {
      missed: (reason) => failed('not_recorded', [reason]),
      async send(live) {
        const result = await live({ ...effect, deferred: false, cacheMs: 0 });
        // The live performer adds the User-Agent, and counts retries.
        return result.kind === 'http' || result.kind === 'failed'
          ? result
          : failed('not_recorded', [`no answer to ${call.method} ${call.url}`]);
      },
      recorded: (recording) => ({ kind: 'http', call: { ...call, status: recording.answer!.status }, answer: recording.answer! }),
    });
    return effect.deferred && result.kind === 'http' ? { kind: 'deferred', call: result.call } : result;
  }

  #model(effect: ModelEffect, player: Player): Promise<EffectResult> {
    return this.#play(effect, player, {
      missed: (reason) => ({ kind: 'failed', code: 'model_no_match', reason }),
      send: (live) => live(effect),
      recorded: ({ reply }) => ({ kind: 'model', ...reply!, elapsedMs: 0 }),
    });
  }

  async #play(
    effect: Recordable,
    { used, live }: Player,
    about: {
      missed(reason: string): EffectResult;
      send(live: Perform): Promise<EffectResult>;
      recorded(recording: Recording): EffectResult;
    },
  ): Promise<EffectResult> {
    const play = (): EffectResult | undefined => {
      const known = this.#next(effect, used);
      return known && (this.#fresh.get(known) ?? about.recorded(known));
    };
    const known = play();
    if (known) return known;
    if (this.#mode === 'none') return about.missed(explainMiss(requestOf(effect, this.#mask.text), this.#recordings, this.#shown));
    if (JSON.stringify(effect).includes(MARK)) return about.missed(MASKED);
    // One request at a time: two tests that miss the same recording would both record it.
    const turn = this.#queue.then(async () => {
      const recorded = play();
      if (recorded) return recorded;
      const result = await about.send(live);
      this.#keep(effect, result, used);
      return result;
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** The next unused recording of this request; the last used one in mode `none`. */
  #next(effect: Recordable, used: Set<Recording>): Recording | undefined {
    const request = requestOf(effect, this.#mask.text);
    const mode = this.#mode;
    const same = this.#recordings.filter((one) => (mode !== 'all' || this.#fresh.has(one)) && isSame(one.request, request));
    const found = same.find((one) => !used.has(one)) ?? (mode === 'none' ? same.at(-1) : undefined);
    if (found) used.add(found);
    return found;
  }

  /** Keeps an answer. Failures to connect and refused requests are not recorded, so that the next run tries again. */
  #keep(effect: Recordable, result: EffectResult, used: Set<Recording>): void {
    if (result.kind === 'http' && result.answer && result.error === undefined) {
      this.#mask.learn(result.call, result.answer);
      this.#add({ request: requestOf(effect, this.#mask.text), answer: result.answer }, result, used);
    }
    if (result.kind === 'model') {
      const { connection, text, calls, tokens } = result;
      this.#add({ request: requestOf(effect, this.#mask.text), reply: { connection, text, calls, tokens } }, result, used);
    }
  }

  #add(recording: Recording, result: EffectResult, used: Set<Recording>): void {
    const masked = maskedRecording(recording, this.#mask);
    this.#recordings.push(masked);
    this.#fresh.set(masked, result);
    used.add(masked);
    this.#maskAll();
  }

  /** Masks credentials that were found after a recording was made. */
  #maskAll(): void {
    if (this.#maskedValues === this.#mask.size) return;
    this.#maskedValues = this.#mask.size;
    for (const one of this.#recordings) Object.assign(one, maskedRecording(one, this.#mask));
  }
}

function readRecordings(file: string): Recording[] {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      return [readLine(line)];
    } catch (error) {
      throw new UsageError(
        `${file}:${i + 1} is not a recording: ${(error as Error).message}; fix the line, or delete it to record it again`,
      );
    }
  });
}
