import type { HttpCall, Recording } from './records.js';
import { texts } from './texts.js';

/** A mock as its form has it. */
export interface MockForm {
  /** Empty for any method. */
  readonly method: string;
  readonly url: string;
  readonly status: string;
  /** JSON, or a text. */
  readonly body: string;
  readonly headers?: object;
}

/** How a simulation starts and what answers its journey, as the forms have it. */
export interface Setup {
  readonly revision: 'draft' | 'staging' | 'production';
  /** JSON texts; empty for none. */
  readonly contact: string;
  readonly parent: string;
  readonly child: string;
  readonly mocks: readonly MockForm[];
  readonly failUnmocked: boolean;
  readonly model: 'connection' | 'script' | 'recordings';
  /** Rules of a script, as JSON text. */
  readonly rules: string;
  readonly recordings: readonly Recording[];
}

export const newSetup: Setup = {
  revision: 'draft',
  contact: '{\n  "name": "Ann"\n}',
  parent: '',
  child: '',
  mocks: [],
  failUnmocked: true,
  model: 'connection',
  rules: '[\n  { "say": "How can I help?" }\n]',
  recordings: [],
};

/** How a simulation was started. */
export interface Started {
  readonly revision: Setup['revision'];
  readonly contact?: object;
  readonly parent?: object;
  readonly child?: object;
}

/** A form has a value that cannot be sent. The message is for the author. */
export class Unreadable extends Error {}

/** The parts of a payload that every turn has. @throws Unreadable */
export function everyTurn({ mocks, failUnmocked, model, rules, recordings }: Setup) {
  const all = rulesOf(model, rules);
  return {
    http_mocks: mocks.map(mockOf),
    fail_unmocked_http_calls: failUnmocked,
    models: model === 'connection' ? {} : { '*': model === 'script' ? { rules: all } : { recordings } },
  };
}

/** The parts of the payload of the first turn. @throws Unreadable */
export function firstTurn({ revision, contact, parent, child }: Setup): Started {
  const given = { contact: objectOf(contact, texts.contact), parent: objectOf(parent, texts.parent), child: objectOf(child, texts.child) };
  return { revision, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

export const mockOf = ({ method, url, status, body, headers }: MockForm) => ({
  ...(method !== '' && { method }),
  url,
  response: { status: Number(status) || 200, ...(headers && { headers }), ...(body !== '' && { body: jsonOrText(body) }) },
});

/** A mock that answers a request with the response that it received, or with an empty object. */
export const mockFor = ({ method, url, answer }: HttpCall): MockForm => ({
  method,
  url,
  status: String(answer?.status ?? 200),
  body: answer?.body ?? '{}',
});

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function objectOf(text: string, name: string): object | undefined {
  if (text.trim() === '') return undefined;
  const value = jsonOrText(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unreadable(texts.mustBeObject(name));
  return value;
}

function rulesOf(model: Setup['model'], text: string): readonly unknown[] {
  const value = jsonOrText(text);
  if (model !== 'script' || Array.isArray(value)) return value as readonly unknown[];
  throw new Unreadable(texts.rulesMustBeList);
}
