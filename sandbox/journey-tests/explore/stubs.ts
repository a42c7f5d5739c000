import type { Json } from '#core';
import { readJson } from '#core/basics';
import {
  callOf,
  type Effect,
  type EffectResult,
  type HttpEffect,
  type JourneyAdditions,
  type ModelEffect,
  type Perform,
  redacted,
  requestText,
} from '../../../plugins/journeys/plugin.js';
import type { Settings, SkillMock } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { NUMBER } from '../run/performers.js';

/** A response of a mock. */
export interface StubbedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StubOptions {
  /** The responses that the user gives for a request; empty for requests without one. */
  readonly responsesTo: (method: string, url: string) => readonly StubbedResponse[];
  /** More statuses to try where the user gives no response. */
  readonly statuses?: readonly number[];
  /** Another journey, found by its name or uuid, with its file as tests name it. */
  readonly journeyNamed: (id: string) => { readonly journey: JourneyUnderTest; readonly file: string } | undefined;
  /** The performers of plugins. */
  readonly effects?: JourneyAdditions['effects'] | undefined;
}

/** The assumptions of a walk about everything outside the journey, as settings of a test. */
export interface Assumptions {
  readonly settings: Settings;
  /** Whether an answer was made up, so that expressions may miss parts of it. */
  readonly isMadeUp: boolean;
  /** URLs of requests that got no response. */
  readonly silent: readonly string[];
  /** Whether a test file cannot express the walk: of two requests to a URL, one got a response and the other none. */
  readonly isUnwritable: boolean;
}

export const NO_ASSUMPTIONS: Assumptions = { settings: {}, isMadeUp: false, silent: [], isUnwritable: false };

const JSON_TYPE = { 'content-type': 'application/json' };
const MADE_UP_ANSWER: StubbedResponse = { status: 200, headers: JSON_TYPE, body: '{}' };
const MADE_UP: readonly (StubbedResponse | undefined)[] = [MADE_UP_ANSWER, { ...MADE_UP_ANSWER, status: 500 }, undefined];
const SKILL_RESULTS: readonly SkillMock[] = [{ output: {} }, { error: 'the skill failed' }];
const REPLY = 'A reply of the model.';
const ROUTE = 'route_';

/**
 * Performs the effects of one turn of a walk. Where an effect has several possible results, `given` selects one by position; without it, the
 * first. The caller tries the others.
 */
export class StubbedTurn {
  /** For each effect with several results: the selected one, and how many there are. */
  readonly choices: { readonly taken: number; readonly of: number }[] = [];
  assumptions: Assumptions;
  readonly #given: readonly number[];
  readonly #options: StubOptions;

  constructor(assumptions: Assumptions, given: readonly number[], options: StubOptions) {
    this.assumptions = assumptions;
    this.#given = given;
    this.#options = options;
  }

  readonly perform: Perform = async (effect) => {
    const performer = this.#options.effects?.get(effect.kind);
    return performer ? performer(effect, { number: NUMBER.uuid, perform: this.perform }) : this.performNow(effect);
  };

  #choose<T>(alternatives: readonly T[]): T {
    if (alternatives.length === 1) return alternatives[0]!;
    const taken = this.#given[this.choices.length] ?? 0;
    this.choices.push({ taken, of: alternatives.length });
    return alternatives[taken]!;
  }

  #assume(settings: Settings, isMadeUp = false): void {
    this.assumptions = {
      ...this.assumptions,
      settings: { ...this.assumptions.settings, ...settings },
      isMadeUp: this.assumptions.isMadeUp || isMadeUp,
    };
  }

  performNow(effect: Effect): EffectResult {
    const { skills = {}, cards = {}, journeys = {} } = this.assumptions.settings;
    switch (effect.kind) {
      case 'http':
        return this.#http(effect);
      case 'model':
        return this.#model(effect);
      case 'skill': {
        // A test has one result for each skill.
        const known = Object.hasOwn(skills, effect.skill) ? skills[effect.skill] : undefined;
        const result = known ?? this.#choose(SKILL_RESULTS);
        this.#assume({ skills: { ...skills, [effect.skill]: result } }, true);
        if ('error' in result) return { kind: 'skill', output: null, success: false, error: result.error, calls: [] };
        return { kind: 'skill', output: 'output' in result ? result.output : null, success: true, calls: [] };
      }
      case 'content': {
        const { content } = effect;
        const text = `The card ${content}.`;
        this.#assume({ cards: { ...cards, [content]: { text } } });
        return { kind: 'content', card: { uuid: content, name: content, text, media: [] } };
      }
      case 'template':
        return { kind: 'template' };
      case 'journey': {
        const found = this.#options.journeyNamed(effect.journey);
        if (!found) return { kind: 'failed', code: 'journey_not_found', reason: `journey ${effect.journey.slice(0, 60)} not found` };
        this.#assume({ journeys: { ...journeys, [effect.journey]: found.file } });
        const definition = { hash: effect.journey, bytes: new SharedArrayBuffer(0) };
        return { kind: 'journey', journey: found.journey.uuid, revision: effect.journey, definition };
      }
      default:
        return { kind: 'failed', code: 'not_available', reason: `tests without a platform perform no effects of kind '${effect.kind}'` };
    }
  }

  #http(effect: HttpEffect): EffectResult {
    const call = callOf(requestText(effect, redacted));
    const given = this.#options.responsesTo(call.method, call.url);
    const { statuses = [] } = this.#options;
    const alternatives = given.length > 0 ? given : [...MADE_UP, ...statuses.map((status) => ({ ...MADE_UP_ANSWER, status }))];
    // The journey does not see the response to a deferred request.
    const response = effect.deferred ? alternatives[0] : this.#choose(alternatives);
    const url = call.url.split(/[?#]/)[0]!.replace(/‹redacted:[^›]*›/g, '*');
    const { silent, isUnwritable, settings } = this.assumptions;
    const mocks = settings.http_mocks ?? [];
    if (!response) {
      const isMocked = mocks.some((mock) => (mock as { url: string }).url === url);
      this.assumptions = { ...this.assumptions, silent: [...silent, url], isUnwritable: isUnwritable || isMocked };
      const failures = [`no mock matched ${call.method} ${call.url}`];
      return { kind: 'http', call: { ...call, failures }, answer: null, error: 'not_mocked' };
    }
    const { status, headers, body } = response;
    const { method } = call;
    this.#assume({ http_mocks: [...mocks, { method, url, response: writtenResponse(response) }] }, given.length === 0);
    this.assumptions = { ...this.assumptions, isUnwritable: isUnwritable || silent.includes(url) };
    const answered = { ...call, status, mocked: true };
    return effect.deferred ? { kind: 'deferred', call: answered } : { kind: 'http', call: answered, answer: { status, headers, body } };
  }

  /** The model routes to each action, or says something. It uses no skills. */
  #model({ connection, model, tools }: ModelEffect): EffectResult {
    const actions = tools.flatMap(({ name }) => (name.startsWith(ROUTE) ? name.slice(ROUTE.length) : []));
    const action = this.#choose<string | undefined>([...actions, undefined]);
    const { models = {} } = this.assumptions.settings;
    const known = (models[connection] as { rules?: readonly Json[] } | undefined)?.rules ?? [];
    const rule: Json = action === undefined ? { say: REPLY } : { action };
    this.#assume({ models: { ...models, [connection]: { rules: [...known, rule] } } });
    return {
      kind: 'model',
      connection: { uuid: connection, name: connection, vendor: 'scripted', model },
      text: action === undefined ? REPLY : '',
      calls: action === undefined ? [] : [{ id: 'call-1', name: `${ROUTE}${action}`, arguments: '{}' }],
      tokens: { input: 0, output: 0 },
      elapsedMs: 0,
    };
  }
}

/** A response as a mock of a test file has it: JSON as it is. */
export function writtenResponse({ status, headers, body }: StubbedResponse): Json {
  const { 'content-type': type = '', ...others } = headers;
  const isJson = type === JSON_TYPE['content-type'];
  const written = isJson ? (readJson(body) as Json) : body;
  return {
    status,
    ...(isJson || type === '' || type.startsWith('text/plain')
      ? Object.keys(others).length > 0 && { headers: others }
      : { headers: { ...headers } }),
    body: written,
  };
}
