import type { Json, JsonObject } from '#core/basics';
import { isObject } from '../compile.js';

/** The settings of a block type, by config key. */
export interface Settings {
  readonly [key: string]: Setting;
}

/**
 * `any`: a value of any shape, which the block itself checks. `ignored`: part of the format, but not read by this engine. Otherwise
 * an object with these settings, or a list of such objects.
 */
export type Setting = 'any' | 'ignored' | Settings | readonly [Settings];

/** A key of a config that the engine does not read. */
export interface Unread {
  /** Relative to the config, such as `list.sections[0].titel`. */
  readonly path: string;
  readonly key: string;
  /** True when the format has the setting; false when it is unknown, probably misspelt. */
  readonly isIgnored: boolean;
  /** The settings that the type reads in this place. */
  readonly others: readonly string[];
}

/** Settings that every block can have. */
export const GENERAL: Settings = {
  set_contact_property: [{ property_key: 'any', property_value: 'any' }],
  timeout: { seconds: 'any' },
  on_invalid: { max_attempts: 'any', message: 'any' },
};

export const FRAME = { header: 'any', footer: 'any' } as const;

/** Settings of telephone calls, which this platform does not make. */
const VOICE = { IVR: 'ignored', ivr: 'ignored' } as const;

export const QUESTION = { ...FRAME, ...VOICE, prompt: 'any', validate: 'any', normalise: 'any' } as const;

export const CHOICES = {
  ...FRAME,
  ...VOICE,
  prompt: 'any',
  question_prompt: 'any',
  choices: [
    {
      name: 'any',
      prompt: 'any',
      description: 'any',
      test: 'any',
      text_tests: [{ language: 'any', test_expression: 'any' }],
      ivr_test: 'ignored',
    },
  ],
  numeric_choice: 'any',
} as const;

export const LIST = { presentation: 'any', list: { button_label: 'any', sections: [{ title: 'any', choice_names: 'any' }] } } as const;

export const REQUEST = { method: 'any', url: 'any', headers: 'any', body: 'any' } as const;

/** Lists the keys of a config that the engine does not read. Skips keys with empty values, which have no effect anyway. */
export const unreadIn = (config: JsonObject, settings: Settings): readonly Unread[] => unreadOf(config, { ...GENERAL, ...settings }, '');

function unreadOf(value: Json, setting: Setting | undefined, path: string): readonly Unread[] {
  if (isList(setting)) return Array.isArray(value) ? value.flatMap((item: Json, i) => unreadOf(item, setting[0], `${path}[${i}]`)) : [];
  if (typeof setting !== 'object' || !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const known = Object.hasOwn(setting, key) ? setting[key] : undefined;
    const at = path === '' ? key : `${path}.${key}`;
    if (known !== undefined && known !== 'ignored') return unreadOf(inside, known, at);
    if (isEmpty(inside)) return [];
    return [{ path: at, key, isIgnored: known === 'ignored', others: namesOf(setting) }];
  });
}

const isList = (setting: Setting | undefined): setting is readonly [Settings] => Array.isArray(setting);

export const namesOf = (settings: Settings): readonly string[] => Object.keys(settings).filter((key) => settings[key] !== 'ignored');

const isEmpty = (value: Json): boolean => value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
