import type { Report } from '../blocks/block-type.js';
import { blockTypes } from '../blocks/index.js';
import { type Block, type Flow, isObject, listAt } from '../compile.js';
import { type CarriedPart, carriedParts, carriedRoots } from '../expression/check.js';
import { CONTACT_NAMES } from '../marked-values.js';

/** Warns about text of contacts in the host of an address, and outside of the strings of a JSON body. */
export function checkContactText({ config: { url, body } }: Block, flow: Flow, report: Report): void {
  if (typeof url !== 'string' || !`${url}${typeof body === 'string' ? body : ''}`.includes('@')) return;
  const answers = knownAnswers.get(flow) ?? answersIn(flow);
  knownAnswers.set(flow, answers);
  const inHost = hostRoots(carriedParts(url)).find((root) => answers.has(root) || CONTACT_NAMES.has(root));
  if (inHost !== undefined) {
    const message = `text of the contact ('${inHost}') would choose the host of this request, which is then not sent`;
    report.warning('config.url', message, 'contact_chooses_host');
  }
  const outside = typeof body === 'string' ? rootsOutsideStrings(carriedParts(body)).find((root) => answers.has(root)) : undefined;
  if (outside !== undefined) {
    const message = `the answer '${outside}' is outside of the strings of this JSON: it is sent as a number, or as a text in quotes`;
    report.warning('config.body', message, 'contact_outside_string');
  }
}

/** Found once for all requests of a flow. */
const knownAnswers = new WeakMap<Flow, ReadonlySet<string>>();

/** The names, in lower case, whose value begins with text that a contact typed: questions, and variables that are computed from them. */
function answersIn({ blocks }: Flow): ReadonlySet<string> {
  const all = [...blocks.values()];
  const isQuestion = ({ type }: Block): boolean => {
    const { answer, picks } = blockTypes.get(type) ?? {};
    return answer !== undefined && picks === undefined && type !== 'MobilePrimitives.NumericResponse';
  };
  const names = new Set(all.filter(isQuestion).map(({ name }) => name.toLowerCase()));
  const assignments = all.flatMap(assignmentsOf).filter(([, source]) => !/^\s*(concatenate\()?\s*["'](?!@)/.test(source));
  for (let size = -1; size < names.size; ) {
    size = names.size;
    for (const [name, source] of assignments)
      if (carriedRoots(source).some((root) => names.has(root.toLowerCase()))) names.add(name.toLowerCase());
  }
  return names;
}

function assignmentsOf({ name, type, config, exits }: Block): readonly (readonly [name: string, source: string])[] {
  if (type === 'Core.Case') return exits.length === 1 ? [[name, exits[0]?.name ?? '']] : [];
  if (type === 'Core.Output') return typeof config.value === 'string' ? [[name, config.value]] : [];
  return listAt(config, 'assignments').flatMap((item) =>
    isObject(item) && typeof item.name === 'string' && typeof item.value === 'string' ? [[item.name, item.value] as const] : [],
  );
}

/** The names that are printed before the path of an address begins. */
function hostRoots(parts: readonly CarriedPart[]): readonly string[] {
  const path = parts.findIndex((part) => typeof part === 'string' && /[/?#]/.test(part.replace(/^\s*[a-z][a-z0-9+.-]*:\/\//i, '')));
  return rootsIn(path < 0 ? parts : parts.slice(0, path));
}

function rootsOutsideStrings(parts: readonly CarriedPart[]): readonly string[] {
  const [first] = parts;
  if (typeof first !== 'string' || !/^\s*[[{]/.test(first)) return [];
  let isInString = false;
  return rootsIn(
    parts.filter((part) => {
      if (typeof part !== 'string') return !isInString;
      for (const [sign] of part.matchAll(/\\.|"/gs)) if (sign === '"') isInString = !isInString;
      return false;
    }),
  );
}

const rootsIn = (parts: readonly CarriedPart[]): readonly string[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : part.map((root) => root.toLowerCase())));
