/** The place of a plugin's page in the console. */
export interface PageContext {
  /** The theme that is shown. The colours are CSS variables, such as `--text`, and follow it by themselves. */
  readonly theme: 'light' | 'dark';
  /** The number or conversation beside which a panel is shown; null for a page of the menu. */
  readonly subject: { readonly kind: 'number' | 'conversation'; readonly uuid: string } | null;
}

/** An event of the platform, as `GET /admin/v1/events` streams it. */
export interface PageEvent {
  readonly name: string;
  readonly data: unknown;
}

/** `posthorn`, the global variable of a page of a plugin: its only access to the platform and to the console. */
export interface PageApi {
  /** Resolves when the console has connected. */
  readonly ready: Promise<PageContext>;
  /**
   * Calls the admin API with the session of the browser: `posthorn.call('GET', '/night-mail/letters?page=2')`. The page must list the call in
   * `calls`. @returns the body of the response. Rejects with an error that has `status` and `body`; status 0 means that there was no response.
   */
  call<T = unknown>(method: string, path: string, payload?: unknown): Promise<T>;
  /** Calls `listener` with each new event that the page lists in `events`. @returns ends it */
  listen(listener: (event: PageEvent) => void): () => void;
  /** Opens a page of the console by its path, such as `/numbers/<uuid>`. */
  open(path: string): void;
  /** Says a text to screen readers. */
  announce(text: string): void;
}
