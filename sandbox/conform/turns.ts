/** A kind of message to contacts (Resources, "Shapes of the turn object"). */
export interface TurnKind {
  readonly name: string;
  /** @param text is part of the message, @param link of the media file, if it has one */
  turn(text: string, link: string): object;
}

const interactive = (content: object) => ({ type: 'interactive', interactive: content });

export const OPTIONS = [
  { id: 'conformance-yes', title: 'Yes, please' },
  { id: 'conformance-no', title: 'No, thanks' },
] as const;

export const textTurn = (text: string) => ({ type: 'text', text: { body: text } });

export const buttonsTurn = (text: string) =>
  interactive({ type: 'button', body: { text }, action: { buttons: OPTIONS.map((reply) => ({ type: 'reply', reply })) } });

export const listTurn = (text: string) =>
  interactive({ type: 'list', body: { text }, action: { button: 'Choose', sections: [{ title: 'Answers', rows: OPTIONS }] } });

const file = (type: string, mime_type: string, more: object, text: string | undefined, link: string) => ({
  type,
  [type]: { link, mime_type, ...more, ...(text !== undefined && { caption: text }) },
});

export const turnKinds: readonly TurnKind[] = [
  { name: 'a text', turn: (text) => textTurn(`${text} Choose **one**.`) },
  { name: 'a content card', turn: (text) => textTurn(`${text}\n\n_Opening hours_\nMonday to Friday, 9:00 to 18:00`) },
  {
    name: 'a template, which has no type',
    turn: (text) => ({
      template: {
        name: 'loan_due',
        namespace: 'riverside_library',
        language: { code: 'en' },
        components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
      },
    }),
  },
  { name: 'quick reply buttons', turn: buttonsTurn },
  { name: 'a list', turn: listTurn },
  {
    name: 'a flow',
    turn: (text) =>
      interactive({
        type: 'flow',
        header: { type: 'text', text: 'Library card' },
        body: { text },
        footer: { text: 'Takes two minutes' },
        action: {
          name: 'flow',
          parameters: {
            flow_action: 'navigate',
            flow_action_payload: { screen: 'SIGN_UP' },
            flow_cta: 'Sign up',
            flow_id: '1234567890123456',
            flow_message_version: '3',
            flow_token: 'conformance',
            mode: 'published',
          },
        },
      }),
  },
  { name: 'a video', turn: (text, link) => file('video', 'video/mp4', {}, text, link) },
  { name: 'an audio file', turn: (_, link) => file('audio', 'audio/ogg', {}, undefined, link) },
  { name: 'a document', turn: (text, link) => file('document', 'application/pdf', { filename: 'loans.pdf' }, text, link) },
  { name: 'an image', turn: (text, link) => file('image', 'image/png', {}, text, link) },
];

/** The smallest PNG file: one transparent pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
