/** An event of the platform, as far as a filter looks at it. */
export interface FilteredEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface EventFilter {
  matches(event: FilteredEvent): boolean;
  /** The beginnings of names that the filter asks for; empty if it accepts every name. */
  readonly names: readonly string[];
}

type Test = (event: FilteredEvent) => boolean;

const TERM = /(-?)(?:([\w.]+):)?(?:"([^"]*)"?|(\S+))/g;

/**
 * Reads a filter of events, as `posthorn tail` and the console take it. Terms are separated by spaces:
 *
 * - `delivery` accepts events whose name begins with it. Several names: any of them.
 * - `state:failed` accepts events with a field `state`, at any depth, whose value begins with `failed`; a dot separates the steps of a path.
 *   Several values of one field: any of them. Different fields: all of them.
 * - `"no answer"` accepts events that contain the text anywhere.
 * - A minus before a term excludes the events that it accepts.
 *
 * Case does not matter. Every text is a valid filter; an empty one accepts every event.
 */
export function readFilter(text: string): EventFilter {
  const names: string[] = [];
  const fields = new Map<string, string[]>();
  const tests: Test[] = [];
  for (const [, minus, field, quoted, bare] of text.matchAll(TERM)) {
    const value = (quoted ?? bare ?? '').toLowerCase();
    if (minus) tests.push(not(field ? hasField(field, [value]) : quoted === undefined ? hasName([value]) : hasText(value)));
    else if (field) fields.set(field, [...(fields.get(field) ?? []), value]);
    else if (quoted === undefined) names.push(value);
    else tests.push(hasText(value));
  }
  const all = [...(names.length > 0 ? [hasName(names)] : []), ...tests, ...[...fields].map(([field, values]) => hasField(field, values))];
  return { names, matches: (event) => all.every((test) => test(event)) };
}

const not =
  (test: Test): Test =>
  (event) =>
    !test(event);

const hasName =
  (beginnings: readonly string[]): Test =>
  ({ name }) =>
    beginnings.some((beginning) => name.toLowerCase().startsWith(beginning));

const hasText =
  (text: string): Test =>
  ({ name, data }) =>
    name.toLowerCase().includes(text) || (JSON.stringify(data) ?? '').toLowerCase().includes(JSON.stringify(text).slice(1, -1));

/** Whether a value at a path begins with one of the texts. The path may begin at any depth. */
function hasField(path: string, beginnings: readonly string[]): Test {
  const steps = path.split('.');
  return ({ data }) => {
    // Not recursive: data of plugins may be nested deeply.
    const open: unknown[] = [data];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (value === null || typeof value !== 'object') continue;
      if (isAccepted(at(value, steps), beginnings)) return true;
      for (const inner of Object.values(value)) if (inner !== null && typeof inner === 'object') open.push(inner);
    }
    return false;
  };
}

function at(value: object, steps: readonly string[]): unknown {
  let found: unknown = value;
  for (const step of steps) {
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, step)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[step];
  }
  return found;
}

const isAccepted = (value: unknown, beginnings: readonly string[]): boolean =>
  value !== undefined &&
  (value === null || typeof value !== 'object') &&
  beginnings.some((beginning) => String(value).toLowerCase().startsWith(beginning));
