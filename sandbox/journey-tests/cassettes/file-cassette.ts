import { relative } from 'node:path';
import type { Perform } from '../../../plugins/journeys/plugin.js';
import type { Settings } from '../format/index.js';
import type { Account, EffectsPlatform } from '../run/effects-platform.js';
import { Cassette, cassetteOf } from './cassette.js';
import type { RecordMode } from './record-mode.js';

/** The recordings that a run added for a test file. */
export interface Recorded {
  /** Relative to the working directory. */
  readonly file: string;
  readonly count: number;
  /** The names of headers, parameters and fields whose values were masked. */
  readonly masked: readonly string[];
}

export interface FileCassetteOptions {
  readonly cwd: string;
  readonly mode: RecordMode;
  readonly openPlatform: () => Promise<EffectsPlatform>;
}

/** The cassette of a test file. It is read when the first test needs it, because most tests have mocks. */
export class FileCassette {
  readonly #testFile: string;
  readonly #options: FileCassetteOptions;
  #cassette: Cassette | undefined;

  constructor(testFile: string, options: FileCassetteOptions) {
    this.#testFile = testFile;
    this.#options = options;
  }

  /** Performs the requests of one test from the recordings. */
  player(settings: Settings): Perform {
    let play: Perform | undefined;
    return async (effect) => {
      play ??= this.#open().player(this.#live(settings));
      return play(effect);
    };
  }

  /** Writes what was recorded, if anything. */
  save(): Recorded | undefined {
    const cassette = this.#cassette;
    if (!cassette || cassette.recorded === 0) return undefined;
    cassette.save();
    return { file: relative(this.#options.cwd, cassette.file), count: cassette.recorded, masked: cassette.masked };
  }

  #open(): Cassette {
    const { cwd, mode } = this.#options;
    const file = cassetteOf(this.#testFile, cwd);
    this.#cassette ??= new Cassette(file, mode, relative(cwd, file));
    return this.#cassette;
  }

  /** Sends requests for real, with the secrets and tokens of the test. */
  #live(settings: Settings): Perform {
    let perform: Promise<Perform> | undefined;
    const open = async (): Promise<Perform> => {
      const account = accountOf(settings);
      for (const secret of Object.values(account.secrets)) this.#open().hide(secret);
      for (const { token } of Object.values(account.models)) if (token !== null) this.#open().hide(token);
      const { context, numberWith } = await this.#options.openPlatform();
      return context.journeys.performer(await numberWith(account));
    };
    return async (effect) => {
      perform ??= open();
      return (await perform)(effect);
    };
  }
}

/** @throws Error that names a variable which is not set */
function accountOf({ secrets = {}, models = {} }: Settings): Account {
  const valueIn = (variable: string, owner: string): string => {
    const value = process.env[variable];
    if (!value) throw new Error(`${owner} is not set: set the environment variable ${variable} to record`);
    return value;
  };
  return {
    secrets: Object.fromEntries(Object.entries(secrets).map(([name, variable]) => [name, valueIn(variable, `the secret '${name}'`)])),
    models: Object.fromEntries(
      Object.entries(models).flatMap(([name, given]) => {
        const { base_url, model = '', token } = given as { base_url?: string; model?: string; token?: string };
        if (base_url === undefined) return [];
        return [[name, { base_url, model, token: token === undefined ? null : valueIn(token, `the token of the model '${name}'`) }]];
      }),
    ),
  };
}
