import { type Json, type JsonObject, messageOf } from '#core/basics';
import type { EffectResult } from '../effect.js';
import type { BlockType, Outcome, Report, Run } from './block-type.js';
import { failedEffect } from './failed-effect.js';

/**
 * A setting of a block type of a plugin. In a notebook the settings that are not optional are the arguments of the block's word in this order,
 * and the optional ones follow with their names.
 */
export interface BlockSetting {
  /**
   * `template`: a text with `@` expressions. `expression`: an expression, written without `@`. `plain`: a text without expressions. `whole`: a
   * whole number. `flag`: true or false.
   */
  readonly kind: 'template' | 'expression' | 'plain' | 'whole' | 'flag';
  /** A few words for completions: `the name of the place`. */
  readonly summary: string;
  /** Whether a block may omit it; `given` has undefined then. */
  readonly isOptional?: boolean;
}

/** Settings; their names have letters, digits and `_`. */
export interface BlockSettings {
  readonly [name: string]: BlockSetting;
}

type ValueOf<S extends BlockSetting> = S['kind'] extends 'template' | 'plain'
  ? string
  : S['kind'] extends 'whole'
    ? number
    : S['kind'] extends 'flag'
      ? boolean
      : Json;

/** The values of settings: templates rendered, expressions evaluated; undefined for an optional one that is not given. */
export type GivenSettings<S extends BlockSettings> = {
  readonly [K in keyof S]: S[K] extends { readonly isOptional: true } ? ValueOf<S[K]> | undefined : ValueOf<S[K]>;
};

type PerformedResult = Exclude<EffectResult, { readonly kind: 'failed' }>;

/** The declaration of a block type by a plugin. */
export interface BlockDeclaration<S extends BlockSettings> extends Pick<BlockType, 'answer' | 'elapsed' | 'picks'> {
  /** Begins with the name of the plugin: `weather.forecast`. */
  readonly type: string;
  /** A sentence for completions: `Tells the contact the forecast of a place.` */
  readonly summary: string;
  /** The word of notebooks: with `weather`, authors write `weather("Cape Town")`. Without it the block has no form in notebooks. */
  readonly word?: string;
  /** The settings by their names, which have letters, digits and `_`. A name becomes a key of `config`. */
  readonly settings: S;
  /** Runs when a conversation reaches the block. Has no effects of its own: to reach the world, it returns an `effect`. */
  readonly enter: (run: Run, given: GivenSettings<S>) => Outcome;
  /** Handles the result of its effect; by default its value becomes that of the block. A failed effect fails the block: its error exit handles it. */
  readonly performed?: (run: Run, result: PerformedResult) => Outcome;
  /**
   * Reports mistakes that show without running the block. Those of expressions and of the kinds of settings are reported anyway. An exception is
   * reported as the error `block_check_failed`.
   */
  readonly check?: (config: JsonObject, report: Report) => void;
}

/** A block type of a plugin. */
export interface ContributedBlock extends BlockType {
  readonly type: string;
  readonly summary: string;
  readonly word: string | undefined;
  readonly declared: BlockSettings;
}

/** Declares a block type for journeys. From its settings follow lint, the form in notebooks, and completions. */
export function blockType<const S extends BlockSettings>(declaration: BlockDeclaration<S>): ContributedBlock {
  const { type, summary, word, settings, enter, performed, check, picks, ...more } = declaration;
  return {
    ...more,
    ...{ type, summary, word, declared: settings },
    // An exception is a finding of `check`.
    ...(picks && { picks: (config) => attempt(() => picks(config)).value ?? [] }),
    settings: Object.fromEntries(Object.keys(settings).map((name) => [name, 'any'])),
    enter: (run) => enter(run, givenIn(run, settings) as GivenSettings<S>),
    performed: (run, result) => (result.kind === 'failed' ? failedEffect(result) : (performed ?? continueWith)(run, result)),
    check(block, report) {
      for (const [name, setting] of Object.entries(settings)) checkSetting(block.config[name], name, setting, report);
      for (const [name, call] of [
        ['check', () => check?.(block.config, report)],
        ['picks', () => picks?.(block.config)],
      ] as const) {
        const { fault } = attempt<unknown>(call);
        const about = `${name} of ${type} (plugin '${type.split('.')[0]}') failed`;
        if (fault !== undefined) report.error('config', `${about}: ${fault}`, 'block_check_failed');
      }
    },
  };
}

/** Calls a function of a plugin. Its exception must not end the check of the whole journey. */
function attempt<T>(call: () => T): { readonly value?: T; readonly fault?: string } {
  try {
    const value = call();
    if (!(value instanceof Promise)) return { value };
    value.catch(() => {});
    return { fault: 'it returned a promise; it must not be asynchronous' };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

const givenIn = (run: Run, settings: BlockSettings): JsonObject =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { kind }]) => {
      const source = run.config[name];
      if (source === undefined || source === null) return [];
      const value = typeof source !== 'string' || kind === 'plain' ? source : kind === 'template' ? run.text(source) : run.value(source);
      return [[name, value] as const];
    }),
  );

const continueWith = (_: Run, result: PerformedResult): Outcome => ({
  kind: 'continue',
  ...(result.kind === 'plugin' && { value: result.value }),
});

const FITS: Readonly<Record<BlockSetting['kind'], readonly [fits: (value: Json) => boolean, expected: string]>> = {
  template: [(value) => typeof value === 'string', 'a text'],
  expression: [(value) => ['string', 'number', 'boolean'].includes(typeof value), 'an expression'],
  plain: [(value) => typeof value === 'string', 'a text'],
  whole: [(value) => Number.isSafeInteger(value), 'a whole number'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
};

function checkSetting(value: Json | undefined, name: string, { kind, isOptional }: BlockSetting, report: Report): void {
  const path = `config.${name}`;
  const [fits, expected] = FITS[kind];
  if (value === undefined || value === null) {
    if (!isOptional) report.error(path, `this setting is missing; it must be ${expected}`);
  } else if (!fits(value)) report.error(path, `this setting must be ${expected}`);
  else if (kind === 'template') report.template(path, value);
  else if (kind === 'expression' && typeof value === 'string') report.expression(path, value);
}
