import { type Profiler, Session } from 'node:inspector';

/** A file that ran, with the names of its functions that ran, in the order of the source. */
export interface WalkedFile {
  readonly file: string;
  readonly functions: readonly string[];
}

/** A part of a walk, with the files that no earlier part used. */
export interface Stage {
  readonly title: string;
  readonly files: readonly WalkedFile[];
}

/** By file, the names of functions by their place in it. */
type Ran = Map<string, Map<number, string>>;

/** The folder of the compiled copy, in which each source has a file of its own. */
const COMPILED = new URL('../../', import.meta.url).href;
/** The code of the product. `core/testing` and the manual clock stand for what is outside of a platform. */
const PRODUCT = /^(core|plugins)\/(?!testing\/|adapters\/clock\/)/;

/** Records which functions of this process run, by V8's precise coverage. Call order is not in coverage, so the caller divides the run into stages. */
export class Recorder {
  readonly #session = new Session();
  #stages: { readonly title: string; readonly ran: Ran }[] = [];
  #isPaused = true;

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Begins the first stage, or continues with another one after `pause`. Functions that ran until now count for no stage. */
  begin(title: string): void {
    this.#take();
    this.#isPaused = false;
    this.#stages.push({ title, ran: new Map() });
  }

  /** Ends the current stage and begins the next one, unless that one has begun before. */
  next(title: string): void {
    if (this.#isPaused || this.hasBegun(title)) return;
    this.pause();
    this.begin(title);
  }

  /** Whether a stage has begun. */
  hasBegun(title: string): boolean {
    return this.#stages.some((stage) => stage.title === title);
  }

  /** Ends the current stage. */
  pause(): void {
    this.#isPaused = true;
    const { ran } = this.#stages.at(-1)!;
    for (const { url, functions } of this.#take()) {
      const file = url.startsWith(COMPILED) ? url.slice(COMPILED.length).replace(/\.js$/, '.ts') : '';
      if (!PRODUCT.test(file)) continue;
      for (const { functionName, ranges } of functions) {
        const { startOffset, count } = ranges[0]!;
        // The function at the beginning of a file is its module, which runs when it is loaded.
        if (count > 0 && startOffset > 0) ran.set(file, (ran.get(file) ?? new Map<number, string>()).set(startOffset, functionName));
      }
    }
  }

  /** The stages since the last call. */
  end(): readonly { readonly title: string; readonly ran: Ran }[] {
    this.pause();
    return this.#stages.splice(0);
  }

  #take(): readonly Profiler.ScriptCoverage[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // The session of its own thread answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      scripts = result;
    });
    return scripts;
  }
}

/**
 * The stages with the functions that ran in each round: timers of the process run in some rounds only. A file is in the latest of the stages
 * that used it first: a write of the round before may end in an earlier one.
 */
export function inEachRound(rounds: readonly ReturnType<Recorder['end']>[]): Stage[] {
  const [all, ...others] = rounds.map((stages) => {
    const ran: Ran = new Map();
    for (const stage of stages) for (const [file, names] of stage.ran) ran.set(file, new Map([...(ran.get(file) ?? []), ...names]));
    return ran;
  });
  const stageOf = (file: string): number => Math.max(...rounds.map((stages) => stages.findIndex(({ ran }) => ran.has(file))));
  const files = [...(all?.keys() ?? [])].sort().map((file) => ({ file, stage: stageOf(file) }));
  return (rounds[0] ?? []).map(({ title }, i) => ({
    title,
    files: files.flatMap(({ file, stage }) => (stage === i ? walkedFile(file, all!.get(file)!, others) : [])),
  }));
}

function walkedFile(file: string, functions: ReadonlyMap<number, string>, others: readonly Ran[]): WalkedFile[] {
  const ran = [...functions].filter(([place]) => others.every((round) => round.get(file)?.has(place)));
  const names = ran.sort(([a], [b]) => a - b).map(([, name]) => name.replace(/^[gs]et /, ''));
  return ran.length === 0 ? [] : [{ file, functions: [...new Set(names)].filter((name) => /^#?\w+$/.test(name)) }];
}
