import { anyString, array, examplesOf, named, nullable, number, object, oneOf, string, withExamples } from '../shape.js';
import { contactCardSchema } from './contact-card.js';

const file = (name: string, example: object) =>
  named(
    name,
    object(
      { id: string(), mime_type: string() },
      { file: string(), link: string(), sha256: string(), caption: anyString(), filename: anyString() },
    ).example({ id: 'media-1', sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', ...example }),
  );
const mediaUrl = (id: string): string => `https://posthorn.example/v1/media/${id}/content?signature=kq0`;
const option = named('ReceivedOption', object({ id: string(), title: anyString() }, { description: anyString() }));

/** The content of each type of message from a contact, as webhooks and journeys receive it. */
export const receivedParts = {
  text: named('ReceivedText', object({ body: anyString() }).example({ body: 'When is my loan due?' })),
  audio: file('ReceivedAudio', { mime_type: 'audio/ogg', link: mediaUrl('media-1') }),
  voice: file('ReceivedVoice', { mime_type: 'audio/ogg; codecs=opus', link: mediaUrl('media-1') }),
  video: file('ReceivedVideo', { mime_type: 'video/mp4', link: mediaUrl('media-1'), caption: 'This shelf' }),
  image: file('ReceivedImage', { mime_type: 'image/jpeg', link: mediaUrl('media-1'), caption: 'My library card' }),
  document: file('ReceivedDocument', {
    mime_type: 'application/pdf',
    link: mediaUrl('media-1'),
    filename: 'loans.pdf',
    caption: 'My loans',
  }),
  sticker: file('ReceivedSticker', { mime_type: 'image/webp', link: mediaUrl('media-1') }),
  location: named(
    'ReceivedLocation',
    object({ latitude: number(), longitude: number() }, { name: anyString(), address: anyString() }).example({
      latitude: -33.7342,
      longitude: 18.9621,
      name: 'Home',
      address: '4 River Street, Paarl',
    }),
  ),
  contacts: array(contactCardSchema).example([examplesOf(contactCardSchema).example]),
  /** Without `emoji` the reaction was removed. */
  reaction: named(
    'ReceivedReaction',
    withExamples(object({ message_id: string() }, { emoji: string() }), {
      reaction: { message_id: 'out-1', emoji: '👍' },
      'reaction removed': { message_id: 'out-1' },
    }),
  ),
  system: named(
    'ReceivedSystem',
    object({ body: string() }, { type: string(), new_wa_id: string() }).example({
      type: 'user_changed_number',
      body: 'Ann Lee changed from 27611111111 to 27622222222',
      new_wa_id: '27622222222',
    }),
  ),
  button: named(
    'ReceivedButton',
    object({ text: anyString() }, { payload: nullable(anyString()) }).example({ text: 'Renew', payload: 'renew' }),
  ),
  interactive: named(
    'ReceivedInteractive',
    withExamples(
      object(
        { type: oneOf('button_reply', 'list_reply', 'nfm_reply') },
        { button_reply: option, list_reply: option, nfm_reply: object({ name: string(), body: anyString(), response_json: string() }) },
      ),
      {
        button_reply: { type: 'button_reply', button_reply: { id: 'renew', title: 'Renew' } },
        list_reply: { type: 'list_reply', list_reply: { id: 'loans', title: 'My loans', description: 'Due dates and renewals' } },
        nfm_reply: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"name":"Ann Lee"}' } },
      },
    ),
  ),
};
