import { createRequire } from 'node:module';
import type { Node, ParseError } from 'jsonc-parser';
import { pointerOf, stepsOf } from '#core/basics';
import { readHandshake } from '../answers/handshake.js';
import { readUpdate } from '../answers/update.js';
import { ANSWER_LIMITS } from '../client/read-answer.js';
import { partsOf } from '../panels/view.js';
import type { Capabilities, Problem } from '../schemas.js';

/** Loaded lazily: only people who try an answer need it. */
const parser = (): typeof import('jsonc-parser') => createRequire(import.meta.url)('jsonc-parser');

/** Markdown that panels show as plain text. */
const PLAIN: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/!\[[^\]\n]*\]\([^)\s]+\)/, 'an image'],
  [/^#{1,6}\s/m, 'a heading'],
  [/^(?:[-+]|\d+\.)\s/m, 'a list'],
  [/<[a-z!/][^>]*>/i, 'HTML'],
];
const MAX_PROBLEMS = 100;

/**
 * Reads a pasted answer as the platform would read it from an integration, and names each problem with its JSON pointer and its line.
 * @param capabilities for an answer with context: what the handshake declared; undefined accepts what the answer has
 */
export function tryAnswer(kind: 'handshake' | 'context', answer: string, capabilities: Capabilities | undefined) {
  const bytes = Buffer.from(answer);
  const problems: Problem[] = [];
  const { parseTree } = parser();
  const errors: ParseError[] = [];
  const root = parseTree(answer, errors, { disallowComments: true });
  if (bytes.byteLength > ANSWER_LIMITS.bytes) {
    problems.push({ code: 'too_large', pointer: '', message: `the response is larger than ${ANSWER_LIMITS.bytes} bytes` });
    return { kind, usable: false, problems };
  }
  const value = parsed(answer);
  const read = kind === 'handshake' ? readHandshake(bytes) : readUpdate(bytes, capabilities ?? declaredBy(value));
  if ('trouble' in read) {
    const { kind: code, reason } = read.trouble;
    const [error] = errors;
    const place = code === 'not_json' && error ? lineOf(answer, error.offset) : {};
    const why = code === 'not_json' && error ? `${reason}: ${wordsOf(error)}` : reason;
    problems.push({ code, pointer: '', message: why, ...place });
    return { kind, usable: false, problems };
  }
  for (const { code, path, message } of read.warnings) problems.push({ code, message, ...placeOf(path) });
  if ('capabilities' in read) return { kind, usable: true, problems, capabilities: read.capabilities };
  for (const found of plainMarkdown(root, answer)) if (problems.length < MAX_PROBLEMS) problems.push(found);
  const { warnings: _, ...panel } = partsOf('pasted', read);
  return { kind, usable: true, problems, panel };

  /** The place of a path such as `actions.extend.url`; of its nearest ancestor if the answer has no such value. */
  function placeOf(path: string): Pick<Problem, 'pointer' | 'line' | 'column'> {
    const steps = stepsOf(path, value);
    for (let length = steps.length; length > 0; length--) {
      const node = root && parser().findNodeAtLocation(root, steps.slice(0, length) as (string | number)[]);
      if (node) return { pointer: pointerOf(steps), ...lineOf(answer, node.offset) };
    }
    return { pointer: pointerOf(steps) };
  }
}

/** The capabilities that an answer needs, so that it can be tried without a handshake. */
function declaredBy(value: unknown): Capabilities {
  const objects = (value as { context_objects?: unknown } | undefined)?.context_objects;
  const entries = typeof objects === 'object' && objects !== null && !Array.isArray(objects) ? Object.entries(objects) : [];
  return {
    actions: true,
    suggested_responses: true,
    context_objects: entries.map(([code, one]) => ({ code, title: code, type: Array.isArray(one) ? 'ordered-list' : 'table' })),
  };
}

/** The texts of context objects that contain Markdown which panels do not render. */
function* plainMarkdown(root: Node | undefined, answer: string): Generator<Problem> {
  const { findNodeAtLocation, getNodePath } = parser();
  const objects = root && findNodeAtLocation(root, ['context_objects']);
  const open: Node[] = objects ? [objects] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'object') open.push(...(node.children ?? []).flatMap(({ children }) => children?.[1] ?? []).reverse());
    else if (node.type === 'array') open.push(...(node.children ?? []).toReversed());
    else if (node.type === 'string') {
      const what = PLAIN.find(([pattern]) => pattern.test(String(node!.value)))?.[1];
      if (what === undefined) continue;
      const message = `the text contains ${what}, which is shown as plain text; panels render *strong*, _emphasis_, ~strike~, \`code\` and links`;
      yield { code: 'not_rendered', pointer: pointerOf(getNodePath(node)), message, ...lineOf(answer, node.offset) };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Such as `CommaExpected` as `comma expected`. */
const wordsOf = ({ error }: ParseError): string =>
  parser()
    .printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();

/** Both count from 1. */
function lineOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
