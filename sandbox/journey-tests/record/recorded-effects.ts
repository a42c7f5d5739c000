import { type Script, ScriptedModel } from '#core';
import type { Effect, EffectResult, HttpCall, HttpEffect, Perform } from '../../../plugins/journeys/plugin.js';
import { callOf, redacted, requestText } from '../../../plugins/journeys/plugin.js';
import { MockSequence, readMocks } from '../../../plugins/simulation/mocks/mocks.js';
import { NO_ASSUMPTIONS, StubbedTurn } from '../explore/stubs.js';
import type { Settings } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';

export interface EffectSources {
  /** Settings that are known: mocks of requests, and results of skills. */
  readonly settings: Settings;
  readonly journeyNamed: (id: string) => { readonly journey: JourneyUnderTest; readonly file: string } | undefined;
  /** Performs the code of skills and content cards with these requests; undefined if no platform has them. */
  readonly platform?: ((requests: Perform) => Perform) | undefined;
  /** Requests that got no response, as `METHOD URL`. The test has no mock for them, so they get none there either. */
  readonly unanswered?: ReadonlySet<string> | undefined;
  /** The texts that the journey sent in the recorded turn: replies of a model are among them. */
  readonly replies?: (() => string | undefined) | undefined;
}

/** Performs the effects of a recorded conversation, and collects what a test needs to repeat them. */
export class RecordedEffects {
  /** One sentence for each answer that had to be made up. */
  readonly notes = new Set<string>();
  readonly #sources: EffectSources;
  readonly #sequence: MockSequence;
  readonly #platform: Perform | undefined;
  #settings: Settings;

  constructor(sources: EffectSources) {
    this.#sources = sources;
    this.#platform = sources.platform?.((effect) => this.perform(effect));
    this.#settings = sources.settings;
    this.#sequence = new MockSequence(readMocks(sources.settings.http_mocks ?? [], []), []);
  }

  /** The settings of the test. */
  get settings(): Settings {
    return this.#settings;
  }

  readonly perform: Perform = async (effect) => (await this.#known(effect)) ?? this.#madeUp(effect);

  async #known(effect: Effect): Promise<EffectResult | undefined> {
    const { skills = {}, cards = {}, models = {} } = this.#settings;
    if (effect.kind === 'http') {
      const call = callOf(requestText(effect, redacted));
      const found = this.#sequence.match(call.method, call.url);
      if (!found) return this.#sources.unanswered?.has(`${call.method} ${call.url}`) ? this.#withoutResponse(effect, call) : undefined;
      const { status, headers, body } = found.mock;
      const answered = { ...call, params: found.params, status, mocked: true };
      return effect.deferred ? { kind: 'deferred', call: answered } : { kind: 'http', call: answered, answer: { status, headers, body } };
    }
    const script = effect.kind === 'model' ? this.#sources.settings.models?.[effect.connection] : undefined;
    if (effect.kind === 'model' && script) {
      const { connection: name, messages, tools, model } = effect;
      const outcome = await new ScriptedModel(script as Script, { now: () => new Date() }).generate({ model, messages, tools });
      if (outcome.kind === 'failed') return outcome;
      const { text, calls, tokens } = outcome;
      return { kind: 'model', connection: { uuid: name, name, vendor: 'scripted', model }, text, calls, tokens, elapsedMs: 0 };
    }
    if (effect.kind === 'model') {
      const text = this.#sources.replies?.();
      if (text === undefined) return undefined;
      const known = (models[effect.connection] as { rules?: readonly object[] } | undefined)?.rules ?? [];
      this.#settings = { ...this.#settings, models: { ...models, [effect.connection]: { rules: [...known, { say: text }] as never } } };
      const connection = { uuid: effect.connection, name: effect.connection, vendor: 'scripted', model: effect.model };
      return { kind: 'model', connection, text, calls: [], tokens: { input: 0, output: 0 }, elapsedMs: 0 };
    }
    if (effect.kind === 'skill') {
      const mock = skills[effect.skill];
      if (mock && 'output' in mock) return { kind: 'skill', output: mock.output, success: true, calls: [] };
      const result = await this.#platform?.(effect);
      if (result?.kind !== 'skill') return undefined;
      const { output, error } = result;
      this.#settings = { ...this.#settings, skills: { ...skills, [effect.skill]: error === undefined ? { output } : { error } } };
      return { ...result, calls: [] };
    }
    if (effect.kind === 'content') {
      const result = await this.#platform?.(effect);
      if (result?.kind !== 'content') return undefined;
      const { text, media } = result.card;
      const card = { text, ...(media.length > 0 && { media: media.map((one) => ({ ...one })) }) };
      this.#settings = { ...this.#settings, cards: { ...cards, [effect.content]: card } };
      return result;
    }
    return undefined;
  }

  #withoutResponse(effect: HttpEffect, call: HttpCall): EffectResult {
    this.notes.add(`${call.method} ${call.url} got no response; the test has no mock for it, so it gets none there either`);
    return effect.deferred ? { kind: 'deferred', call } : { kind: 'http', call, answer: null, error: 'not_mocked' };
  }

  #madeUp(effect: Effect): EffectResult {
    // A model says something, because an action would end its conversation.
    const actions = effect.kind === 'model' ? effect.tools.filter(({ name }) => name.startsWith('route_')).length : 0;
    const stub = new StubbedTurn({ ...NO_ASSUMPTIONS, settings: this.#settings }, [actions], {
      responsesTo: () => [],
      journeyNamed: this.#sources.journeyNamed,
    });
    const result = stub.performNow(effect);
    this.#settings = stub.assumptions.settings;
    const note = noteOf(effect, result);
    if (note !== undefined) this.notes.add(note);
    return result;
  }
}

function noteOf(effect: Effect, result: EffectResult): string | undefined {
  switch (effect.kind) {
    case 'http': {
      const { method, url } = callOf(requestText(effect, redacted));
      return `the answer to ${method} ${url} is not stored; the test has status 200 and {}: edit http_mocks`;
    }
    case 'model':
      return `a reply of the model '${effect.connection}' is not stored; the test has a made-up one: edit models`;
    case 'skill':
      return `the result of the skill '${effect.skill}' is not stored; the test has {}: edit skills`;
    case 'content':
      return `the content card '${effect.content}' is not available; the test has a made-up text: edit cards`;
    case 'journey':
      return result.kind === 'failed' ? `the journey calls '${effect.journey}'; add its file to journeys` : undefined;
    default:
      return undefined;
  }
}
