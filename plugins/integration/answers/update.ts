import { parseMarkdown, type Span } from '#core/messaging';
import { isObject, readObject } from '../client/read-answer.js';
import type { Capabilities, Trouble, Warning } from '../schemas.js';
import { SHOWN_LIMITS, versionWarnings } from './handshake.js';
import { type WrittenOrder, writtenOrder } from './written-order.js';

/** A context object for display, with its texts as trees of spans. */
export type ContextObject =
  | {
      readonly type: 'table';
      readonly code: string;
      readonly title: string;
      readonly rows: readonly { readonly key: string; readonly value: readonly Span[] }[];
    }
  | {
      readonly type: 'ordered-list';
      readonly code: string;
      readonly title: string;
      readonly items: readonly { readonly number: number; readonly value: readonly Span[] }[];
    };

export interface OfferedAction {
  /** The key of the action in `actions`. */
  readonly action: string;
  readonly description: string;
  readonly options: readonly { readonly option: string; readonly label: string }[];
  /** The URL as the integration sent it: a relative path, an absolute path or an absolute URL. */
  readonly url: string;
  readonly payload: unknown;
}

export interface Suggestion {
  readonly title: string;
  readonly body: string;
  readonly confidence: number;
}

/** The response of an integration for a conversation, after validation. */
export interface Update {
  readonly context_objects: readonly ContextObject[];
  readonly actions: readonly OfferedAction[];
  readonly suggested_responses: readonly Suggestion[];
  readonly warnings: readonly Warning[];
}

/**
 * Reads an update response (Resources, "Update response"). Every part is optional. Unknown and invalid parts are ignored with a warning;
 * context objects are in the order of the handshake.
 */
export function readUpdate(body: Uint8Array, capabilities: Capabilities): Update | { readonly trouble: Trouble } {
  const read = readObject(body);
  if ('trouble' in read) return read;
  const { version, context_objects: objects = {}, actions = {}, suggested_responses: suggestions = [], ...others } = read.value;
  const warnings = new Warnings();
  const order = writtenOrder(read.json);
  for (const warning of versionWarnings(version)) warnings.add(warning.code, warning.path, warning.message);
  for (const name of Object.keys(others)) warnings.add('unknown_key', name, `${name} is unknown and was ignored`);
  return {
    context_objects: objectsOf(objects, capabilities.context_objects, warnings, order),
    actions: isDeclared('actions', actions) ? actionsOf(actions, warnings, order) : [],
    suggested_responses: isDeclared('suggested_responses', suggestions) ? suggestionsOf(suggestions, warnings) : [],
    warnings: warnings.list,
  };

  function isDeclared(name: 'actions' | 'suggested_responses', given: unknown): boolean {
    const isEmpty = isObject(given) ? Object.keys(given).length === 0 : Array.isArray(given) && given.length === 0;
    if (!capabilities[name] && !isEmpty) warnings.add('not_declared', name, `the handshake declared no ${name}; they were ignored`);
    return capabilities[name];
  }
}

/** Collects at most 50 warnings, because a response can have very many problems. */
class Warnings {
  readonly list: Warning[] = [];

  add(code: string, path: string, message: string): void {
    if (this.list.length < 50) this.list.push({ code, path: path.slice(0, 200), message: message.slice(0, 300) });
  }

  /** Returns the first `limit` entries, with a warning if there are more. */
  first<T>(all: readonly T[], limit: number, path: string): readonly T[] {
    if (all.length > limit) this.add('too_many', path, `${path} has ${all.length} entries; only the first ${limit} are shown`);
    return all.slice(0, limit);
  }

  text(value: unknown, path: string): string | undefined {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string') {
      this.add(
        'wrong_type',
        path,
        `${path} is ${value === null ? 'null' : Array.isArray(value) ? 'an array' : `of type ${typeof value}`} instead of text`,
      );
      return undefined;
    }
    if (value.length <= SHOWN_LIMITS.text) return value;
    this.add('too_long', path, `${path} is longer than ${SHOWN_LIMITS.text} characters and was truncated`);
    return value.slice(0, SHOWN_LIMITS.text);
  }
}

function objectsOf(given: unknown, declared: Capabilities['context_objects'], warnings: Warnings, order: WrittenOrder): ContextObject[] {
  if (!isObject(given)) {
    warnings.add('wrong_type', 'context_objects', 'context_objects is not an object');
    return [];
  }
  const known = new Set(declared.map(({ code }) => code));
  for (const code of Object.keys(given)) {
    if (!known.has(code)) warnings.add('unknown_code', `context_objects.${code}`, `${code} was not declared in the handshake`);
  }
  return declared.flatMap(({ code, title, type }) => {
    if (!Object.hasOwn(given, code)) return [];
    const path = `context_objects.${code}`;
    const value = given[code];
    if (type === 'table' && isObject(value))
      return { type, code, title, rows: rowsOf(order(value, ['context_objects', code]), path, warnings) };
    if (type === 'ordered-list' && Array.isArray(value)) return { type, code, title, items: itemsOf(value, path, warnings) };
    warnings.add(
      'wrong_type',
      path,
      `${path} is not ${type === 'table' ? 'an object, as required for a table' : 'an array, as required for an ordered list'}`,
    );
    return [];
  });
}

const rowsOf = (cells: readonly [string, unknown][], path: string, warnings: Warnings) =>
  warnings.first(cells, SHOWN_LIMITS.rows, path).flatMap(([key, cell]) => {
    const text = warnings.text(cell, `${path}.${key}`);
    return text === undefined ? [] : { key: key.slice(0, 256), value: parseMarkdown(text) };
  });

const itemsOf = (value: readonly unknown[], path: string, warnings: Warnings) =>
  warnings
    .first(value, SHOWN_LIMITS.rows, path)
    .flatMap((item, i) => warnings.text(item, `${path}[${i}]`) ?? [])
    .map((text, i) => ({ number: i + 1, value: parseMarkdown(text) }));

function actionsOf(given: unknown, warnings: Warnings, order: WrittenOrder): OfferedAction[] {
  if (!isObject(given)) {
    warnings.add('wrong_type', 'actions', 'actions is not an object');
    return [];
  }
  return warnings.first(order(given, ['actions']), SHOWN_LIMITS.actions, 'actions').flatMap(([action, offer]) => {
    const path = `actions.${action}`;
    if (!isObject(offer) || typeof offer.url !== 'string' || offer.url === '' || offer.url.length > 2_048) {
      warnings.add('wrong_type', path, `${path} has no url`);
      return [];
    }
    const { url, payload = {}, description = action, options = {} } = offer;
    const label = warnings.text(description, `${path}.description`) ?? action;
    return {
      action,
      description: label,
      url,
      payload,
      options: optionsOf(options, (menu) => order(menu, ['actions', action, 'options']), `${path}.options`, warnings),
    };
  });
}

function optionsOf(
  given: unknown,
  inOrder: (menu: Readonly<Record<string, unknown>>) => [string, unknown][],
  path: string,
  warnings: Warnings,
): OfferedAction['options'] {
  if (!isObject(given)) {
    if (given !== null) warnings.add('wrong_type', path, `${path} is not an object`);
    return [];
  }
  return warnings.first(inOrder(given), SHOWN_LIMITS.options, path).flatMap(([option, shown]) => {
    const label = warnings.text(shown, `${path}.${option}`);
    return label === undefined ? [] : { option, label };
  });
}

function suggestionsOf(given: unknown, warnings: Warnings): Suggestion[] {
  if (!Array.isArray(given)) {
    warnings.add('wrong_type', 'suggested_responses', 'suggested_responses is not an array');
    return [];
  }
  const suggestions = warnings.first(given, SHOWN_LIMITS.suggestions, 'suggested_responses').flatMap((item: unknown, i) => {
    const path = `suggested_responses[${i}]`;
    if (!isObject(item)) {
      warnings.add('wrong_type', path, `${path} is not an object`);
      return [];
    }
    const { type = 'TEXT', title, body, confidence = 0 } = item;
    if (type !== 'TEXT') {
      warnings.add('unknown_type', path, `${path} has an unknown type; use TEXT`);
      return [];
    }
    const text = warnings.text(body, `${path}.body`);
    if (text === undefined) return [];
    const isNumber = typeof confidence === 'number' && Number.isFinite(confidence);
    if (!isNumber) warnings.add('wrong_type', `${path}.confidence`, `${path}.confidence is not a number and counts as 0`);
    const label = title === undefined || title === null ? text : warnings.text(title, `${path}.title`);
    return { title: label ?? text, body: text, confidence: isNumber ? confidence : 0 };
  });
  return suggestions.sort((a, b) => b.confidence - a.confidence);
}
