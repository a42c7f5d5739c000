/** Types of the calls of the widget, and of the values that the loader passes to the application. */

/** A part of a formatted text: a leaf with `text`, or marks around `children`. */
export interface Span {
  readonly type: 'text' | 'strong' | 'emphasis' | 'strike' | 'code' | 'link';
  readonly text?: string;
  readonly url?: string;
  readonly children?: readonly Span[];
}

export interface Text {
  readonly body: string;
  readonly spans?: readonly Span[];
}

export interface MessageFile {
  /** Relative to the URL of the number. */
  readonly url: string;
  readonly kind: string;
  readonly name?: string;
  /** Bytes. */
  readonly size?: number;
  readonly caption?: string | Text;
}

export interface Option {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly section?: string;
}

export interface Message {
  /** Grows with each message of the conversation. */
  readonly position: number;
  readonly id: string;
  /** Of the widget that sent it. */
  readonly client_id?: string;
  /** `in` is from the visitor. */
  readonly direction: 'in' | 'out';
  readonly at: string;
  readonly type: string;
  readonly text?: Text;
  readonly header?: string | Text;
  readonly footer?: string;
  readonly file?: MessageFile;
  readonly options?: readonly Option[];
  /** The label of the button that opens a list; only lists have one. */
  readonly list_button?: string;
  /** `url` is relative to the URL of the number, and missing when the form is closed. Of the visitor, it is a response, and empty. */
  readonly form?: { readonly cta?: string; readonly url?: string };
  /** The option that the visitor chose, counted from 0. */
  readonly chosen?: number;
  /** The id of the message that it answers. */
  readonly context?: string;
  readonly status?: 'sent' | 'delivered' | 'read' | 'failed';
}

export interface Page {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Stands for the last message, or for the first one if earlier messages were asked for. */
  readonly cursor: string;
  /** Whether there are more in the direction that was asked for. */
  readonly more: boolean;
}

export interface Session extends Page {
  /** Only of a new session. */
  readonly token?: string;
  readonly visitor: string;
}

/** The body of a message that the visitor sends. */
export type Body =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tap'; readonly option: { readonly message: string; readonly index: number }; readonly title: string }
  | { readonly type: 'file'; readonly file: string; readonly caption?: string; readonly name: string };

export interface Config {
  readonly name: string;
  readonly language: string;
  /** Texts that replace those of `texts.ts`, by language. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly theme: { readonly accent?: string };
  readonly features: { readonly upload: boolean };
  /** The file of the application. */
  readonly app: string;
}

/** Proves who the visitor is: see the page of the plugin. */
export type User = { readonly id: string; readonly hash: string } | { readonly jwt: string };
/** A JWT expires, so a function that asks the website for a new one serves a page that stays open. */
export type Identity = User | (() => User | Promise<User>);

export interface Events {
  open: undefined;
  close: undefined;
  /** A new message to the visitor. */
  message: Message;
  /** The number of unread messages. */
  unread: number;
}

/** The values that the loader passes to the application. */
export interface HostPage {
  /** The URL of the number, with a slash at the end. */
  readonly base: string;
  /** The prefix of its entries in `localStorage`. */
  readonly key: string;
  readonly element: HTMLElement;
  readonly root: ShadowRoot;
  readonly button: HTMLButtonElement;
  readonly config: Config;
  readonly language: string;
  readonly user: Identity | undefined;
  emit<E extends keyof Events>(event: E, detail: Events[E]): void;
}
