/** The words of the widget. The configuration of the number replaces them, and so translates them. `{…}` is filled in. */
const english = {
  launcher: 'Chat',
  launcher_unread: 'Chat, {count} unread',
  close: 'Close chat',
  conversation: 'Conversation',
  you: 'You',
  write: 'Write a message',
  send: 'Send',
  attach: 'Attach a file',
  remove: 'Remove {name}',
  earlier: 'Earlier messages',
  newer: 'New messages',
  start: 'Write to us. We answer here.',
  typing: '{name} is typing',
  sending: 'Sending',
  sent: 'Sent',
  seen: 'Seen',
  not_sent: 'Not sent',
  uploading: 'Uploading {name}',
  offline: 'No connection. Messages are sent when it is back.',
  refused: 'This chat is not available.',
  unable: 'The chat cannot be reached. We keep trying.',
  again: 'Try again',
  edit: 'Edit',
  discard: 'Remove',
  too_large: 'The file is too large.',
  wrong_type: 'Files of this type cannot be sent.',
  too_many: 'Too many messages. This one is sent soon.',
  too_many_files: 'Too many files. Try again in a few minutes.',
  unsuitable: 'The message was refused.',
  expired: 'These options cannot be chosen any more.',
  lost_file: 'The file could not be uploaded.',
  not_kept: 'This browser does not keep the conversation after the page is closed.',
  image: 'Image',
  audio: 'Sound',
  video: 'Video',
  document: 'File',
  no_preview: 'The file cannot be shown.',
  back: 'Back to the conversation',
  form_window: 'Open in a new window',
  form_sent: 'Form sent',
  chosen: 'Chosen',
  options: 'Options',
  unsupported: 'This message cannot be shown here.',
};

export type TextName = keyof typeof english;
export type Say = (name: TextName, values?: Readonly<Record<string, string | number>>) => string;

export const createTexts =
  (own: Readonly<Record<string, string>> = {}): Say =>
  (name, values = {}) =>
    (own[name] ?? english[name]).replace(/\{(\w+)\}/g, (whole, value: string) => String(values[value] ?? whole));

const RIGHT_TO_LEFT = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'iw', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** A language tag that browsers accept, and the direction of its script. */
export function localeOf(given: string): { readonly language: string; readonly direction: 'ltr' | 'rtl' } {
  const [language = 'en'] = Intl.DateTimeFormat.supportedLocalesOf(/^[a-z]{2,3}(-[a-z\d]+)*$/i.test(given) ? given : 'en');
  return { language, direction: RIGHT_TO_LEFT.has(language.split('-')[0]!) ? 'rtl' : 'ltr' };
}
