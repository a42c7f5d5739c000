import type { Difference } from '../state/state-diff.js';
import type { Paint } from '../terminal/painter.js';

const MAX_CHARACTERS = 60;
const MARKS = { added: ['green', '+'], removed: ['red', '-'], changed: ['yellow', '~'] } as const;

/** A line for each document that differs, and below it a line for each field. */
export function stateDiff(differences: readonly Difference[], paint: Paint): string[] {
  if (differences.length === 0) return ['The states are equal.'];
  return differences.flatMap(({ kind, of, key, fields }) => {
    const [style, mark] = MARKS[kind];
    return [paint(style, `${mark} ${of} ${key}`), ...fields.map(({ name, from, to }) => `    ${name}: ${shown(from)} -> ${shown(to)}`)];
  });
}

function shown(json: string | undefined): string {
  if (json === undefined) return 'absent';
  return json.length > MAX_CHARACTERS ? `${json.slice(0, MAX_CHARACTERS)}…` : json;
}
