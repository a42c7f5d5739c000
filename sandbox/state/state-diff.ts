import type { StateDocument } from '#core';
import type { StateFile } from './state-file.js';

/** A difference between two states. */
export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** The collection, or the part of the file. */
  readonly of: string;
  /** The key of the document. */
  readonly key: string;
  /** The changed fields, with their values in both states as JSON; undefined for a missing field. */
  readonly fields: readonly { readonly name: string; readonly from: string | undefined; readonly to: string | undefined }[];
}

/** Compares two exported states, document by document. Sealed secrets are compared by their names: each export encrypts them with another key. */
export function differencesOf(a: StateFile, b: StateFile): Difference[] {
  const names = [...new Set([...Object.keys(a.collections), ...Object.keys(b.collections)])].sort();
  const collections = names.flatMap((name) => between(name, a.collections[name] ?? [], b.collections[name] ?? []));
  const parts = [
    between('media', mediaOf(a), mediaOf(b)),
    between('secrets', a.secrets.names.map(named), b.secrets.names.map(named)),
    between('clock', [{ key: 'clock', ...a.clock }], [{ key: 'clock', ...b.clock }]),
  ];
  return [...collections, ...parts.flat()];
}

const named = (key: string): StateDocument => ({ key });
const mediaOf = ({ media }: StateFile): StateDocument[] => Object.keys(media).map(named);

/** The fields by which collections identify their documents; the first that all documents have. */
const KEYS = ['uuid', 'key', 'id', 'name'];

function between(of: string, a: readonly StateDocument[], b: readonly StateDocument[]): Difference[] {
  const key = KEYS.find((field) => [...a, ...b].every((document) => typeof document[field] === 'string'));
  const keyed = (documents: readonly StateDocument[]) =>
    new Map(documents.map((one, i) => [key === undefined ? keyIn(one, i) : String(one[key]), one]));
  const [before, after] = [keyed(a), keyed(b)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  return keys.flatMap((key): Difference[] => {
    const [from, to] = [before.get(key), after.get(key)];
    if (!from) return [{ kind: 'added', of, key, fields: [] }];
    if (!to) return [{ kind: 'removed', of, key, fields: [] }];
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    const fields = names.flatMap((name) => {
      const [was, is] = [JSON.stringify(from[name]), JSON.stringify(to[name])];
      return was === is ? [] : [{ name, from: was, to: is }];
    });
    return fields.length === 0 ? [] : [{ kind: 'changed', of, key, fields }];
  });
}

/** The first text of a document of another collection, such as the flow of a preview. */
const keyIn = (document: StateDocument, i: number): string =>
  String(Object.values(document).find((value) => typeof value === 'string') ?? i);
