import type { FileKind } from './file-type.js';

/** Pages of the documentation of the WhatsApp Business Platform, by their titles: their addresses change. */
const TEXT = 'Text messages';
const MEDIA = 'Media: supported media types';
const BUTTONS = 'Interactive reply buttons messages';
const LIST = 'Interactive list messages';
const LINK = 'Interactive call-to-action URL button messages';
const REFERENCE = 'Messages API reference';
const WINDOW = 'Customer service windows';
/** Not in that documentation, only on pages of partners of the network. */
const PARTNERS = 'partners of the network';
/** No document of the network that we know of states the limit: Posthorn defines it. */
const OWN = 'Posthorn';

const KB = 1024;
const MB = 1024 * KB;

/** Every limit of the messaging network: its value, what it counts, and who states it. */
export const networkLimitTable = {
  text: [4096, 'characters of a text message', TEXT],
  caption: [1024, 'characters of a caption; sounds and stickers have none', REFERENCE],
  header: [60, 'characters of a text header', BUTTONS],
  body: [1024, 'characters of the text beside buttons, a link or a form', BUTTONS],
  listBody: [4096, 'characters of the text beside a list', LIST],
  footer: [60, 'characters of a footer', BUTTONS],
  buttons: [3, 'reply buttons of a message', BUTTONS],
  buttonTitle: [20, 'characters on a reply button', BUTTONS],
  buttonId: [256, 'characters of the id of a reply button', BUTTONS],
  listButton: [20, 'characters on the button that opens a list', LIST],
  sections: [10, 'sections of a list', LIST],
  sectionTitle: [24, 'characters of the title of a section; required if there are several', LIST],
  rows: [10, 'rows of a list, in all sections together', LIST],
  rowId: [200, 'characters of the id of a row', LIST],
  rowTitle: [24, 'characters of the title of a row', LIST],
  rowDescription: [72, 'characters of the description of a row', LIST],
  linkTitle: [20, 'characters on the button of a link', LINK],
  flowCta: [30, 'characters on the button that opens a form', PARTNERS],
  flowToken: [1024, 'characters of the token of a form', OWN],
  contacts: [257, 'contact cards of a message', OWN],
  emoji: [32, 'characters of the emoji of a reaction', OWN],
  filename: [240, 'characters of the name of a file', OWN],
  templateName: [512, 'characters of the name of a template', OWN],
  templateLanguage: [16, 'characters of the language code of a template', OWN],
  templateBody: [4096, 'characters of the body of a template', OWN],
  templateEdge: [1024, 'characters of the header or footer of a template', OWN],
  templateButtons: [10, 'buttons of a template', OWN],
  templateButton: [100, 'characters on a button of a template', OWN],
  callbackData: [512, 'characters of the opaque data that statuses repeat', PARTNERS],
  windowHours: [24, 'hours after a message of the contact in which other messages than templates are accepted', WINDOW],
} as const satisfies Readonly<Record<string, readonly [value: number, counts: string, source: string]>>;

/** Limits on the messages of a channel; those of the network are in `NETWORK_LIMITS`. A limit that is missing does not exist. */
export type MessageLimits = { readonly [Name in keyof typeof networkLimitTable]?: number };

type Values = { readonly [Name in keyof typeof networkLimitTable]: (typeof networkLimitTable)[Name][0] };

/** The values of `networkLimitTable`. */
export const NETWORK_LIMITS = Object.fromEntries(Object.entries(networkLimitTable).map(([name, [value]]) => [name, value])) as Values;

/** The files of one kind that a channel accepts. */
export interface FileLimit {
  readonly maxBytes: number;
  /** MIME types, or patterns of them that end with `/*`. */
  readonly types: readonly string[];
  readonly source?: string;
}

/** The files that the messaging network accepts. Documents may have any type that is not one of the other kinds. */
export const NETWORK_FILES = {
  image: { maxBytes: 5 * MB, types: ['image/jpeg', 'image/png'], source: MEDIA },
  sticker: { maxBytes: 500 * KB, types: ['image/webp'], source: MEDIA },
  audio: { maxBytes: 16 * MB, types: ['aac', 'mp4', 'mpeg', 'amr', 'ogg', 'opus'].map((type) => `audio/${type}`), source: MEDIA },
  video: { maxBytes: 16 * MB, types: ['video/mp4', 'video/3gpp'], source: MEDIA },
  document: { maxBytes: 100 * MB, types: ['application/*', 'text/plain', 'text/csv'], source: MEDIA },
} as const satisfies Readonly<Record<FileKind, FileLimit>>;

/** Whether a channel accepts files of this MIME type as one kind. */
export const acceptsType = ({ types }: FileLimit, mimeType: string): boolean =>
  types.some((type) => (type.endsWith('/*') ? mimeType.startsWith(type.slice(0, -1)) : type === mimeType));

/** The limits and files that a channel supports. A driver declares them; the checks of journeys read them. */
export interface ChannelCapabilities {
  /** Missing: the channel has no limits that are known before a message is sent. */
  readonly limits?: MessageLimits;
  /** Kinds of files that it accepts; missing: any. */
  readonly files?: Readonly<Partial<Record<FileKind, FileLimit>>>;
}

/** The capabilities of the messaging network, for drivers of numbers on it. */
export const NETWORK_CAPABILITIES: ChannelCapabilities = {
  limits: NETWORK_LIMITS,
  files: NETWORK_FILES,
};
