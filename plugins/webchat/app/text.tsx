import type { ComponentChildren } from 'preact';
import type { Span, Text } from './types.js';

const SAFE = /^(https?|mailto|tel):/i;
const TAGS = { strong: 'strong', emphasis: 'em', strike: 's', code: 'code' } as const;

/** Formatted text as elements: there is no HTML to sanitize. */
export const Formatted = ({ text }: { text: string | Text }) => (
  <>{typeof text === 'string' ? text : (text.spans?.map(rendered) ?? text.body)}</>
);

function rendered({ type, text, url, children }: Span, i: number): ComponentChildren {
  const inside = children ? children.map(rendered) : text;
  if (type === 'text') return inside;
  if (type !== 'link') {
    const Tag = TAGS[type] ?? 'span';
    return <Tag key={i}>{inside}</Tag>;
  }
  if (!url || !SAFE.test(url)) return inside;
  return (
    <a key={i} href={url} target="_blank" rel="noopener noreferrer nofollow">
      {inside}
    </a>
  );
}

export const plain = (text: string | Text | undefined): string => (typeof text === 'string' ? text : (text?.body ?? ''));
