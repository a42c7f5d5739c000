import type { Json, JsonObject } from '#core/basics';
import { isObject, objectAt } from '../compile.js';
import type { ContentCard } from '../effect.js';
import { textTurns } from '../message-turns.js';
import type { BlockType, Run } from './block-type.js';
import { renderedText, uuidsIn } from './config.js';
import { failedEffect } from './failed-effect.js';

interface Wanted {
  readonly content: (run: Run) => string;
  readonly waits: (run: Run) => boolean;
}

function card({ content, waits }: Wanted, more: Pick<BlockType, 'settings' | 'waits' | 'resources' | 'check'>): BlockType {
  return {
    enter(run) {
      const card = content(run).trim();
      if (card === '')
        return { kind: 'fail', code: 'content_not_found', reason: 'content_id is empty; set it to the uuid or name of a content card' };
      return { kind: 'effect', effect: { kind: 'content', content: card } };
    },

    performed(run, result) {
      if (result.kind !== 'content') return failedEffect(result);
      const waiting = waits(run);
      const text = run.text(result.card.text);
      const turns = [...textTurns(text), ...result.card.media.flatMap((medium) => mediumTurns(run, medium))];
      run.send(turns, { waiting, details: { content: { ...result.card, text } as unknown as JsonObject } });
      return waiting ? { kind: 'wait' } : { kind: 'continue' };
    },

    answer: (_run, { text }) => ({ kind: 'continue', value: { __value__: text, response: text } }),
    ...more,
  };
}

/** A media file of a card is sent after the card's message, as a text with the link. */
const mediumTurns = (run: Run, { link, caption }: ContentCard['media'][number]) => [
  ...(caption ? textTurns(run.text(caption)) : []),
  ...textTurns(link),
];

/** Sends a stored content card, and waits for an answer if `wait_for_input` is true. */
export const contentCard = card(
  {
    content: (run) => (typeof run.config.content_id === 'string' ? run.text(run.config.content_id) : ''),
    waits: (run) => run.config.wait_for_input === true,
  },
  {
    settings: { content_id: 'any', wait_for_input: 'any' },
    waits: ({ wait_for_input }) => wait_for_input === true,
    check({ config }, report) {
      report.template('config.content_id', config.content_id);
    },
  },
);

/** `Svc.ContentCard` in the format of notebooks: resources contain the name of the card and whether to wait. */
export const sendContentMessage = card(
  {
    content: (run) => renderedText(run.resource(objectAt(run.config, 'content').uuid)),
    waits: (run) => renderedText(run.resource(objectAt(run.config, 'content').wait_for_input)) === 'true',
  },
  {
    settings: { content: { uuid: 'any', wait_for_input: 'any' } },
    resources: ({ content }) => (isObject(content) ? uuidsIn(content.uuid as Json, content.wait_for_input as Json) : []),
    check({ config }, report) {
      report.resource('config.content.uuid', objectAt(config, 'content').uuid);
    },
  },
);
