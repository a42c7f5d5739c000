/** Where the console shows a page: in its menu, or as a panel beside each number or conversation. */
export const pagePlaces = ['menu', 'number', 'conversation'] as const;
/** Where the console shows a page. */
export type PagePlace = (typeof pagePlaces)[number];

/** A page for the console, which shows it in a frame without access to the console or to the session of the browser. */
export interface Page {
  /** Lower-case words joined with `-`, unique in the plugin. */
  readonly name: string;
  /** In the menu, or above the panel. */
  readonly title: string;
  /** Default `menu`. The subject of a panel is the number or the conversation. */
  readonly place?: PagePlace;
  /**
   * The calls of the admin API that the page may make, such as `GET /night-mail/letters/{uuid}`: method, and path below `/admin/v1`. `{…}` is
   * one segment. Without them, none.
   */
  readonly calls?: readonly string[];
  /** The names of events that the page receives. A name that ends with `.` stands for all events that begin with it. */
  readonly events?: readonly string[];
  /**
   * Returns the HTML document, at most 1 MB, within 5 seconds. Scripts and styles in it run, and images may have `data:` URLs; the document
   * loads nothing. It must not contain data of the platform: it reads them with `posthorn.call(...)`.
   */
  html(): string | Promise<string>;
}

/** A page with the name of its plugin. */
export type ContributedPage = Page & { readonly plugin: string };
