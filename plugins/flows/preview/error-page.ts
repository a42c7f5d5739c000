import type { ErrorPage, PlatformError } from '#core';
import { playerStyle, styledPage } from './page.js';

/** The text of an error page: what is wrong, and what to do. */
export interface ErrorText {
  readonly title: string;
  readonly detail: string;
  readonly action: string;
}

const SERVER_ERROR: ErrorText = {
  title: 'The server had a problem',
  detail: 'Your data is not lost.',
  action: 'Try again in a minute.',
};

/** Renders errors of a route as pages: client errors with the text of the route, server errors with a general one. */
export const errorPageOf =
  (describe: (error: PlatformError) => ErrorText) =>
  (error: PlatformError): ErrorPage => {
    const { title, detail, action } = error.status >= 500 ? SERVER_ERROR : describe(error);
    return styledPage({
      title,
      style: playerStyle(),
      body: `<main class="error-page">
<h1>${escaped(title)}</h1>
<p>${escaped(detail)}</p>
<p>${escaped(action)}</p>
<p class="quiet" dir="auto">${error.status} · ${escaped(error.message)}</p>
</main>`,
    });
  };

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
