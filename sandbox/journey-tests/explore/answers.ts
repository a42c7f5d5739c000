import type { JsonObject } from '#core';
import { expressionsOf } from '../../../plugins/journeys/plugin.js';
import type { Action } from '../record/written-steps.js';
import type { Conversation, TestTurn } from '../run/conversation.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';

type Block = JourneyUnderTest['container']['flows'][number]['blocks'][number];

/** Fits most questions for a text, and no list of options. */
const ANYTHING = 'Something else';
const PICTURE = 'https://example.com/picture.jpg';
const MAX_LITERALS = 12;
const MAX_LENGTH = 80;

/**
 * The answers that are tried at each question: its options, values that its conditions mention, numbers at its bounds, dates, media, a text
 * that is nothing of these, and no answer.
 */
export class Answers {
  readonly #blocks = new Map<string, Block>();
  /** Texts and numbers in the expressions that mention the answer of a block, by the name of the block. */
  readonly #sources: readonly { readonly block: string; readonly source: string }[];

  constructor({ container }: JourneyUnderTest) {
    for (const { blocks } of container.flows) for (const block of blocks) this.#blocks.set(block.uuid, block);
    this.#sources = expressionsOf(container);
  }

  at(conversation: Conversation, { events }: TestTurn): readonly Action[] {
    const place = events.findLast((event) => event.type === 'wait' || (event.type === 'message_out' && event.waiting));
    const block = place && 'at' in place && place.at ? this.#blocks.get(place.at.block) : undefined;
    const offers = events.some((event) => event.type === 'message_out' && event.options.length > 0);
    const options = offers ? conversation.options : [];
    const { timeoutMs } = conversation;
    const texts = [...(block ? [...this.#literals(block), ...samplesFor(block)] : []), ANYTHING];
    const labels = new Set(options.map(({ label }) => label));
    return [
      ...options.map(({ kind, label }): Action => ({ kind: kind === 'button' ? 'tap' : 'choose', label })),
      ...contentFor(block),
      ...[...new Set(texts)].filter((text) => !labels.has(text)).map((text): Action => ({ kind: 'say', text })),
      ...(timeoutMs === undefined ? [] : [{ kind: 'wait', ms: timeoutMs } as const]),
    ];
  }

  /** The literals that the answer to this question is compared with. */
  #literals({ uuid, name }: Block): readonly string[] {
    const mentions = new RegExp(`(?<![\\w."])${name.replace(/[^\w]/g, '\\$&')}(?!\\w)`);
    const found = this.#sources.flatMap(({ block, source }) =>
      (block === uuid && /\bblock\b/.test(source)) || mentions.test(source) ? literalsIn(source) : [],
    );
    return [...new Set(found)].slice(0, MAX_LITERALS);
  }
}

/** The texts of an expression, and each of its numbers with its neighbours, so that every side of a comparison is tried. */
function literalsIn(source: string): string[] {
  const texts = [...source.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g)].map(([, double, single]) => double ?? single ?? '');
  const numbers = [...source.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/(?<![\w.])\d{1,9}(?:\.\d+)?(?![\w.])/g)].map(([text]) =>
    Number(text),
  );
  return [
    ...texts.filter((text) => text.trim() !== '' && text.length <= MAX_LENGTH && !text.includes('\\')),
    ...numbers.flatMap((number) => [number, number + 1, number - 1].map(String)),
  ];
}

const MAX_STATUSES = 5;

/** The statuses other than 200 and 500 that conditions of a journey mention, such as 404 in `slots.status == 404`. */
export function statusesIn({ container }: JourneyUnderTest): readonly number[] {
  const found = expressionsOf(container).flatMap(({ source }) =>
    [...source.matchAll(/\.status\b\s*[=!<>]=?\s*([1-5]\d\d)(?!\d)/g)].map(([, status]) => Number(status)),
  );
  return [...new Set(found)].filter((status) => status !== 200 && status !== 500).slice(0, MAX_STATUSES);
}

/** Answers by the type of the question. */
function samplesFor({ type, config = {} }: Block): readonly string[] {
  const { validation_minimum: min, validation_maximum: max } = config as JsonObject;
  const bounds = [min, max].flatMap((bound, i) =>
    typeof bound === 'number' || (typeof bound === 'string' && /^-?\d+(\.\d+)?$/.test(bound))
      ? [String(bound), String(Number(bound) + (i === 0 ? -1 : 1))]
      : [],
  );
  if (/Numeric/.test(type)) return [...bounds, '7'];
  return /Response$|Read$/.test(type) && !/Select|Location|Photo/.test(type) ? [...bounds, '7', '2027-02-03'] : [];
}

/** Answers that are not text. */
function contentFor(block: Block | undefined): readonly Action[] {
  const type = block?.type ?? '';
  if (/Location/.test(type)) return [{ kind: 'send', message: { location: { latitude: -33.92, longitude: 18.42 } } }];
  if (/Photo/.test(type)) return [{ kind: 'send', message: { image: PICTURE } }];
  return /FlowMessage/.test(type) ? [{ kind: 'send', message: { form: {} } }] : [];
}
