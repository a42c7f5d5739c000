import { resolve } from 'node:path';
import { type Script, ScriptedModel } from '#core';
import { performSkill } from '../../../plugins/journeys/effects/skill.js';
import type { JourneyAdditions, JourneysContext } from '../../../plugins/journeys/plugin.js';
import { createEffects, type Effect, type EffectResult, type Perform, type Performers } from '../../../plugins/journeys/plugin.js';
import { MockSequence, readMocks } from '../../../plugins/simulation/mocks/mocks.js';
import { simulatedPerformer } from '../../../plugins/simulation/mocks/perform.js';
import { textOfFile } from '../../notebooks/journey-file.js';
import type { Settings } from '../format/index.js';
import type { JourneyUnderTest } from './journey-under-test.js';

/** The number of tested journeys. */
export const NUMBER = { uuid: '00000000-0000-4000-8000-000000000001', name: 'Test', address: '+27600000001' } as const;

/** A platform for effects that have no mock. Opened when the first such effect is performed, because most tests need none. */
export type OpenPlatform = () => Promise<JourneysContext>;

export interface TestEffects {
  readonly perform: Perform;
  /** Adds mocks. @throws Error that names the position of an invalid mock */
  addMocks(mocks: readonly unknown[]): void;
}

interface EffectDeps {
  /** The folder of the test file, for the code of skills; undefined if tests may not read files. */
  readonly folder: string | undefined;
  readonly openPlatform: OpenPlatform;
  /** Performs requests without a mock, and those of models with a `base_url`, from recordings; undefined if nothing is recorded. */
  readonly recorded: Perform | undefined;
  /** Finds another journey by the id with which it is called. */
  readonly journeyNamed: (id: string) => JourneyUnderTest | undefined;
  readonly now: () => number;
  /** The number on the opened platform whose skills, models and cards the journey uses if the test has none; undefined for files. */
  readonly number: string | undefined;
  /** The performers and skills of plugins. */
  readonly additions: JourneyAdditions | undefined;
}

/** The effects of a tested journey: mocks respond to HTTP requests, skills, models and cards; the rest is performed by a platform or fails. */
export function testEffects(
  settings: Settings,
  { folder, openPlatform, recorded, journeyNamed, now, number, additions }: EffectDeps,
): TestEffects {
  const { skills = {}, models = {}, cards = {}, fail_unmocked_http_calls: failUnmocked = true } = settings;
  let mocks = readMocks(settings.http_mocks ?? [], []);
  let sequence = new MockSequence(mocks, []);

  const clock = { now: () => new Date(now()) };
  /** Performs an effect for which the test has no mock with an asset of the number. Its requests use the mocks. */
  const byNumber = async (effect: Effect, otherwise: EffectResult): Promise<EffectResult> => {
    if (number === undefined) return otherwise;
    return (await openPlatform()).journeys.performer(number, { http: (request) => perform(request) })(effect);
  };

  const performers: Performers = {
    async http(effect) {
      return recorded ? recorded(effect) : (await openPlatform()).journeys.performer(NUMBER.uuid)(effect);
    },
    async skill(effect, about) {
      const run = async (source: string): Promise<EffectResult> => {
        const { workers, ids } = await openPlatform();
        return performSkill({ workers, ids, clock }, { find: async () => ({ name: effect.skill, source, enabled: true }) })(effect, about);
      };
      const mock = skills[effect.skill];
      const added = additions?.skills.get(effect.skill);
      if (!mock && added) return run(added.source);
      if (!mock)
        return byNumber(
          effect,
          failed('skill_not_found', `code skill '${effect.skill.slice(0, 60)}' not found; add it to 'skills' of the test`),
        );
      if ('output' in mock) return { kind: 'skill', output: mock.output, success: true, calls: [] };
      if ('error' in mock) return { kind: 'skill', output: null, success: false, error: mock.error, calls: [] };
      if (folder === undefined)
        return failed('skill_not_found', `the code of skill '${effect.skill}' is in a file, which only posthorn test reads`);
      return run(textOfFile(resolve(folder, mock.file)));
    },
    async model(effect) {
      const script = models[effect.connection];
      if (!script)
        return byNumber(
          effect,
          failed('ai_connection_not_found', `AI connection '${effect.connection.slice(0, 60)}' not found; add it to 'models' of the test`),
        );
      if (script.base_url !== undefined)
        return recorded
          ? recorded(effect)
          : failed('model_not_available', 'this model is recorded, and only posthorn test reads recordings');
      const { messages, tools, model } = effect;
      const outcome = await new ScriptedModel(script as Script, clock).generate({ model, messages, tools });
      if (outcome.kind === 'failed') return outcome;
      const { text, calls, tokens } = outcome;
      return {
        kind: 'model',
        connection: { uuid: effect.connection, name: effect.connection, vendor: 'scripted', model },
        text,
        calls,
        tokens,
        elapsedMs: 0,
      };
    },
    async content(effect) {
      const { content } = effect;
      const card = cards[content];
      if (!card)
        return byNumber(
          effect,
          failed('content_not_found', `content card '${content.slice(0, 60)}' not found; add it to 'cards' of the test`),
        );
      return { kind: 'content', card: { uuid: content, name: content, text: card.text, media: (card.media ?? []) as never } };
    },
    template: async () => ({ kind: 'template' }),
    async journey({ journey: id }) {
      const found = journeyNamed(id);
      if (!found) return failed('journey_not_found', `journey ${id.slice(0, 60)} not found; add its file to 'journeys' of the test`);
      return { kind: 'journey', journey: found.uuid, revision: id, definition: { hash: id, bytes: NO_BYTES } };
    },
  };
  const effects = createEffects(() => performers, additions?.effects);
  let perform = simulatedPerformer({ journeys: effects }, NUMBER.uuid, { sequence, failUnmocked });

  return {
    perform: (effect) => perform(effect),
    addMocks(more) {
      mocks = [...mocks, ...readMocks(more, mocks)];
      sequence = new MockSequence(mocks, sequence.used);
      perform = simulatedPerformer({ journeys: effects }, NUMBER.uuid, { sequence, failUnmocked });
    },
  };
}

/** Called journeys are found by their revision, so their definitions need no bytes. */
const NO_BYTES = new SharedArrayBuffer(0);

const failed = (code: string, reason: string): EffectResult => ({ kind: 'failed', code, reason });
