import type { PlatformError } from '#core';
import type { ErrorPage } from '#core/areas';
import { playerStyle, styledPage } from './page.js';

/** The text of a page without a flow to show: what is wrong, and what to do. */
export interface Trouble {
  readonly title: string;
  readonly sentence: string;
  readonly todo: string;
}

const OURS: Trouble = {
  title: 'Something went wrong on our side',
  sentence: 'Nothing is lost.',
  todo: 'Try again in a moment.',
};

/** Errors of an address as pages: what is wrong with the address in words of its own, what is wrong with us in words for all. */
export const troublePage =
  (troubleOf: (error: PlatformError) => Trouble) =>
  (error: PlatformError): ErrorPage => {
    const { title, sentence, todo } = error.status >= 500 ? OURS : troubleOf(error);
    return styledPage({
      title,
      style: playerStyle(),
      body: `<main class="trouble">
<h1>${escaped(title)}</h1>
<p>${escaped(sentence)}</p>
<p>${escaped(todo)}</p>
<p class="quiet" dir="auto">${error.status} · ${escaped(error.message)}</p>
</main>`,
    });
  };

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
