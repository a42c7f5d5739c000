import type { Cards } from '../assets/content-cards.js';
import type { ContentEffect } from '../engine/effect.js';
import type { Performer } from '../running/performers.js';

export function performContent(cards: Cards): Performer<ContentEffect> {
  return async ({ content }, { number }) => {
    const card = await cards.find(number, content);
    if (!card) return { kind: 'failed', code: 'content_not_found', reason: `content card '${content.slice(0, 60)}' not found` };
    const { uuid, name, text, media } = card;
    return {
      kind: 'content',
      card: { uuid, name, text, media: media.map(({ caption, ...file }) => (caption ? { ...file, caption } : file)) },
    };
  };
}
