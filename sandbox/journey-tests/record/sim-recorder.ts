import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import type { Json, JsonObject, Turn } from '#core';
import { messageText } from '../../../plugins/simulation/response/transcript.js';
import type { SimulatedTurn, Simulation } from '../../conversation/simulate.js';
import { textOfFile } from '../../notebooks/journey-file.js';
import { UsageError } from '../../terminal/flags.js';
import { journeysBeside, usable } from '../explore/run-explore.js';
import { type Settings, writeTests } from '../format/index.js';
import { compileJourney } from '../run/journey-under-test.js';
import { revisionText } from '../run/sandbox-revisions.js';
import { readCalled } from './called-journeys.js';
import { nameOf } from './name-of.js';
import { type RecordedInput, recordTest } from './record-test.js';
import { mocksOf, type SentAnswer } from './sent-answers.js';

/** The request of a simulation's turn, as `posthorn sim` sends it. */
interface TurnRequest {
  readonly input?: string;
}

/** The fields of a simulated turn that a recording reads. */
interface DetailedTurn extends SimulatedTurn {
  readonly messages: readonly Turn[];
  readonly http_answers: readonly SentAnswer[];
}

export interface SimRecordOptions {
  /** As it was given: a file, or a journey of the sandbox. */
  readonly journey: string;
  readonly revision: 'staging' | 'production' | undefined;
  readonly contact: object | undefined;
  readonly parent: object | undefined;
  readonly child: object | undefined;
  readonly mocks: readonly object[];
  /** The test file to write. */
  readonly file: string;
  readonly cwd: string;
}

/** Records the turns of a simulation, and writes them as a test when it ends. */
export class SimRecorder {
  readonly #options: SimRecordOptions;
  readonly #inputs: RecordedInput[] = [];
  readonly #answers: SentAnswer[] = [];
  readonly #unanswered = new Set<string>();
  readonly #skills: Record<string, { readonly output: Json }> = {};

  constructor(options: SimRecordOptions) {
    this.#options = options;
  }

  /** The same simulation, whose turns are recorded. */
  around(simulation: Simulation): Simulation {
    return {
      close: () => simulation.close(),
      turn: async (request) => {
        const turn = (await simulation.turn(request)) as DetailedTurn;
        const { input } = request as TurnRequest;
        this.#inputs.push({ say: input, replies: turn.messages.map(messageText) });
        this.#answers.push(...turn.http_answers);
        for (const { method, url, status } of turn.http_calls) if (status === null) this.#unanswered.add(`${method} ${url}`);
        for (const { name, output } of turn.skill_calls) this.#skills[name] ??= { output: output as Json };
        return turn;
      },
    };
  }

  /** Writes the test. @returns what the user should know @throws UsageError when the journey cannot be tested */
  async write(): Promise<readonly string[]> {
    const { journey: named, revision = 'production', contact, parent, child, mocks, file, cwd } = this.#options;
    const output = resolve(cwd, file);
    const path = resolve(cwd, named);
    const isFile = existsSync(path);
    const source = isFile ? { file: named, text: textOfFile(named, cwd) } : await revisionText(named, revision, cwd);
    if ('problem' in source) throw new UsageError(source.problem);
    const journey = usable(() => compileJourney(source.file, source.text));
    const settings: Settings = {
      ...(contact && { contact: contact as JsonObject }),
      ...(parent && { parent: parent as JsonObject }),
      ...(child && { child: child as JsonObject }),
      http_mocks: [...(mocks as Json[]), ...mocksOf(this.#answers)],
      skills: this.#skills,
    };
    const inputs = this.#inputs;
    const recorded = await recordTest({
      name: nameOf(inputs),
      journey,
      settings,
      inputs,
      unanswered: this.#unanswered,
      journeyNamed: isFile ? journeysBeside(path) : await readCalled(journey, (id) => calledInSandbox(id, revision, cwd)),
    });
    const about = isFile ? { journey: relative(dirname(output), path) || basename(path) } : { journey: named, revision };
    writeFileSync(output, writeTests({ ...about, tests: [recorded.test] }, dirname(output)));
    return recorded.notes;
  }
}

/** A journey of the running sandbox that another one calls. */
async function calledInSandbox(id: string, revision: 'staging' | 'production', cwd: string) {
  const source = await revisionText(id, revision, cwd);
  return 'problem' in source ? undefined : { journey: usable(() => compileJourney(source.file, source.text)), file: id };
}
