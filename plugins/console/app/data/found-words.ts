import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import type { TextPosition } from '../components/editor/editor-props.js';
import { visits } from './visits.js';

/** The words that led to the page, in its address. */
const WORDS = 'find';
/** Details are loaded after the page. */
const WAIT_MS = 5_000;
const MAX_MARKS = 500;

/** The line of a text that a search found, from 1; 0 if there is none. */
export function useFoundLine(): number {
  const [params] = useSearchParams();
  return Number(params.get('line')) || 0;
}

/** The arguments with which an editor selects a line. */
export const wholeLine = (line: number): [start: TextPosition, end: TextPosition] => [
  { line, column: 1 },
  { line, column: Number.MAX_SAFE_INTEGER },
];

/** The words and phrases of the search that led here, in lower case. */
export function useFoundWords(): readonly string[] {
  const [params] = useSearchParams();
  return Array.from((params.get(WORDS) ?? '').matchAll(/"([^"]+)"?|[^\s"]+/g), ([word, phrase]) => folded(phrase ?? word));
}

/** Whether a text has all words; false without words. */
export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => folded(text).includes(word));

/** Without case and accents; the same length as the text, unless a character has several in lower case. */
const folded = (text: string): string => text.replace(/[^\p{ASCII}]/gu, (one) => one.normalize('NFD')[0]!).toLowerCase();

/** Marks the words in an element as soon as they are in it, and scrolls to the first. */
export function useMarks(element: RefObject<HTMLElement>): void {
  const words = useFoundWords();
  const [path] = useLocation();
  const visit = visits.value;
  const key = words.join('\n');
  useEffect(() => {
    if (words.length === 0 || !('highlights' in CSS)) return;
    let isShown = false;
    const mark = (): void => {
      const ranges = rangesIn(element.current!, words);
      CSS.highlights.set('found', new Highlight(...ranges));
      const [first] = ranges;
      if (!first || isShown) return;
      isShown = true;
      first.startContainer.parentElement!.scrollIntoView({ block: 'center' });
    };
    const observer = new MutationObserver(mark);
    observer.observe(element.current!, { childList: true, subtree: true, characterData: true });
    const timer = setTimeout(() => {
      if (!isShown) observer.disconnect();
    }, WAIT_MS);
    mark();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      CSS.highlights.delete('found');
    };
  }, [key, path, visit]);
}

function rangesIn(element: HTMLElement, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && ranges.length < MAX_MARKS; node = texts.nextNode()) {
    const text = folded(node.textContent ?? '');
    if (text.length !== node.textContent!.length) continue;
    for (const word of words)
      for (let at = text.indexOf(word); at >= 0 && ranges.length < MAX_MARKS; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
  }
  return ranges;
}
