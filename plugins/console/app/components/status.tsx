import type { ComponentChildren } from 'preact';
import { texts } from './texts.js';

/** `warn`: in progress or paused; `partly`: works, but not always. */
export type Tone = 'ok' | 'warn' | 'partly' | 'bad' | 'neutral';

const glyphs: Readonly<Record<Tone, string>> = { ok: '✓', warn: '◐', partly: '!', bad: '✗', neutral: '·' };

/** A state as a sign and a word, so that it does not depend on colour. */
export const Status = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`status ${tone}`}>
    <span aria-hidden="true">{glyphs[tone]}</span> {children}
  </span>
);

/** The tone of an HTTP status; 0 and undefined mean that there was no response. */
export function toneOfHttp(status: number | null | undefined): Tone {
  return status && status < 400 ? 'ok' : 'bad';
}

/** Says that there is nothing to show, and what to do next. */
/** `isPage`: for a whole page instead of a part of one. */
export const Empty = ({ title, isPage = false, children }: { title: string; isPage?: boolean; children?: ComponentChildren }) => (
  <div class="empty">
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
);

export const Loading = () => (
  <p class="quiet loading" role="status">
    {texts.loading}
  </p>
);

/** A call that failed, with a button that repeats it; for data that the operator may not read, the permission that it needs. */
export const Failure = ({ error, retry }: { error: { readonly message: string; readonly isNotPermitted?: boolean }; retry: () => void }) =>
  error.isNotPermitted ? (
    <div class="empty">
      <h2>{texts.youMayNotSeeThis}</h2>
      <p>{error.message}.</p>
    </div>
  ) : (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      <button type="button" class="button plain" onClick={retry}>
        {texts.tryAgain}
      </button>
    </div>
  );

/** In place of what a plugin adds, on a platform that has not loaded it: its routes respond with 404. */
export const NotLoaded = ({ plugin }: { plugin: string }) => <p>{texts.thisPlatformHasNoThe(plugin)}</p>;
