import type { Json, JsonObject } from '../../../../core/json.js';
import type { Input } from '../../../../core/turns/input.js';
import { compile, type Definition } from '../../../../plugins/journeys/engine/compile.js';
import type { Container } from '../../../../plugins/journeys/engine/floip.js';
import type { Environment, Session, Signal } from '../../../../plugins/journeys/engine/session.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { type Step, step } from '../../../../plugins/journeys/engine/step.js';

/** A short form of a container: names are uuids, and a block without exits leads to the next block. */
export interface Draft {
  readonly flows?: Readonly<Record<string, readonly DraftBlock[]>>;
  readonly blocks?: readonly DraftBlock[];
  readonly texts?: Readonly<Record<string, DraftText>>;
  readonly version?: string;
  readonly languages?: readonly string[];
}

export interface DraftBlock {
  readonly name: string;
  readonly type: string;
  readonly config?: JsonObject;
  readonly exits?: readonly { readonly name?: string; readonly test?: string; readonly to?: string | null; readonly label?: string }[];
  readonly vendor_metadata?: JsonObject;
}

/** A text, texts by language, or complete resource values. */
export type DraftText = string | Readonly<Record<string, string>> | readonly JsonObject[];

const MODES = ['RICH_MESSAGING', 'TEXT'];

export function containerOf({ flows, blocks = [], texts = {}, version = '1.0.0-rc4', languages = ['eng', 'fra'] }: Draft): Container {
  const resources = Object.entries(texts).map(([uuid, text]) => ({ uuid, values: valuesOf(text, languages[0] ?? 'eng') }));
  const drafts = Object.entries(flows ?? { main: blocks });
  return {
    specification_version: version,
    uuid: 'container',
    name: 'Under test',
    flows: drafts.map(([uuid, drafted]) => ({
      uuid,
      name: uuid,
      last_modified: '2025-01-01T00:00:00Z',
      interaction_timeout: 300,
      supported_modes: MODES,
      languages: languages.map((id) => ({ id, iso_639_3: id })),
      first_block_id: drafted[0]?.name ?? '',
      blocks: drafted.map((block, i) => blockOf(block, drafted[i + 1]?.name ?? null)),
      ...(version.endsWith('rc4') && { resources }),
    })),
    ...(!version.endsWith('rc4') && { resources }),
  } as unknown as Container;
}

function valuesOf(text: DraftText, language: string): readonly JsonObject[] {
  if (Array.isArray(text)) return text as readonly JsonObject[];
  const byLanguage = typeof text === 'string' ? { [language]: text } : (text as Readonly<Record<string, string>>);
  return Object.entries(byLanguage).map(([language_id, value]) => ({ language_id, content_type: 'TEXT', modes: MODES, value }));
}

function blockOf({ name, type, config = {}, exits, vendor_metadata }: DraftBlock, next: string | null): JsonObject {
  const given = exits ?? [{ to: next }];
  return {
    uuid: name,
    name,
    type,
    config,
    ...(vendor_metadata && { vendor_metadata }),
    exits: given.map(({ name: exit, test, to = next, label }, i) => ({
      uuid: `${name}-${i}`,
      name: exit ?? (test === undefined && !label ? 'default' : `exit ${i}`),
      destination_block: to,
      ...(test !== undefined && { test }),
      ...(label !== undefined && { semantic_label: label }),
      ...(test === undefined && label === undefined && { default: true }),
    })),
  };
}

/** Runs a journey without a worker pool. Converts the session to JSON and back after every signal. */
export class Talk {
  session: Session | null = null;
  last: StepResult | undefined;
  private readonly definitions: Readonly<Record<string, Definition>>;
  private readonly environment: Environment;

  constructor(containers: Readonly<Record<string, Container>>, environment: Partial<Environment> = {}) {
    this.definitions = Object.fromEntries(Object.entries(containers).map(([revision, container]) => [revision, compile(container)]));
    this.environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed', ...environment };
  }

  /** Starts at the revision `main`. */
  start(about: Partial<Extract<Signal, { kind: 'start' }>> = {}): StepResult {
    return this.send({ kind: 'start', session: 'session', journey: 'journey', revision: 'main', contact: {}, globals: {}, ...about });
  }

  say(text: string, more: Partial<Input> = {}): StepResult {
    return this.send({ kind: 'input', input: { text, type: 'text', ...more } });
  }

  send(signal: Signal): StepResult {
    this.last = step(this.stepFor(signal));
    this.session = JSON.parse(JSON.stringify(this.last.session)) as Session;
    return this.last;
  }

  stepFor(signal: Signal): Step {
    const definitions = (revision: string): Definition => {
      const definition = this.definitions[revision];
      if (!definition) throw new Error(`no revision ${revision}`);
      return definition;
    };
    return { definitions, session: this.session, signal, environment: this.environment };
  }
}

/** The messages as a contact sees them: texts, with options in brackets. */
export const seen = ({ events }: Pick<StepResult, 'events'>): readonly string[] =>
  events.flatMap((event) => {
    if (event.type !== 'message_out') return [];
    const turn = event.turn as unknown as Record<string, Json> & { readonly type: string };
    const text =
      turn.type === 'text'
        ? (turn.text as JsonObject).body
        : turn.type === 'interactive'
          ? ((turn.interactive as JsonObject).body as JsonObject).text
          : turn.type;
    return [[text, ...event.options.map((option) => `[${option}]`)].join(' ')];
  });
