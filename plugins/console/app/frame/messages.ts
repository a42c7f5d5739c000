import type { PageContext, PageEvent } from '../../page-api.js';

/** The first message to a frame; it comes with the port for all others. */
export interface Opening {
  readonly posthorn: 'open';
  readonly context: PageContext;
}

/** From the console to a frame. */
export type ToFrame =
  | { readonly kind: 'theme'; readonly theme: PageContext['theme'] }
  | { readonly kind: 'event'; readonly event: PageEvent }
  | { readonly kind: 'response'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string; readonly status: number; readonly body: unknown };

/** From a frame to the console, which trusts none of it. */
export type FromFrame =
  | { readonly kind: 'ready' }
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly path: string; readonly payload?: unknown }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'announce'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };
