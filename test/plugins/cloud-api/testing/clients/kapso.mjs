import { buildTemplateSendPayload, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { given, PNG, report } from './kit.mjs';

const { phoneNumberId, wabaId: businessAccountId, to, inbound } = given;
const client = new WhatsAppClient({ accessToken: given.accessToken, baseUrl: given.url });
const whom = { phoneNumberId, to };
let media;
let deployed;
const FLOW = {
  version: '7.2',
  screens: [
    {
      id: 'CSAT',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Flow JSON
          { type: 'Footer', label: 'Submit', onClickAction: { name: 'complete', payload: { rating: '${form.rating}' } } },
        ],
      },
    },
  ],
};
await report({
  'upload a file': async () => {
    media = await client.media.upload({
      phoneNumberId,
      type: 'image/png',
      file: new Blob([PNG], { type: 'image/png' }),
      fileName: 'a.png',
    });
  },
  text: () => client.messages.sendText({ ...whom, body: 'Hello!' }),
  'reply with a quote': () => client.messages.sendText({ ...whom, body: 'Hello!', contextMessageId: inbound }),
  reaction: () => client.messages.sendReaction({ ...whom, reaction: { messageId: inbound, emoji: '😀' } }),
  'image by id': () => client.messages.sendImage({ ...whom, image: { id: media.id, caption: 'Check this out' } }),
  'image by link': () => client.messages.sendImage({ ...whom, image: { link: 'https://example.com/photo.jpg', caption: 'Photo' } }),
  video: () => client.messages.sendVideo({ ...whom, video: { link: 'https://example.com/clip.mp4', caption: 'Clip' } }),
  audio: () => client.messages.sendAudio({ ...whom, audio: { link: 'https://example.com/a.mp3' } }),
  document: () =>
    client.messages.sendDocument({
      ...whom,
      document: { link: 'https://example.com/invoice.pdf', filename: 'invoice.pdf', caption: 'Invoice' },
    }),
  sticker: () => client.messages.sendSticker({ ...whom, sticker: { id: media.id } }),
  location: () =>
    client.messages.sendLocation({ ...whom, location: { latitude: -33.45, longitude: -70.66, name: 'Santiago', address: 'CL' } }),
  contacts: () =>
    client.messages.sendContacts({
      ...whom,
      contacts: [{ name: { formattedName: 'John Doe' }, phones: [{ phone: '+15551234567', type: 'WORK' }] }],
    }),
  buttons: () =>
    client.messages.sendInteractiveButtons({
      ...whom,
      header: { type: 'image', image: { id: media.id } },
      ...{ bodyText: 'Pick an option', footerText: 'Footer' },
      buttons: [
        { id: 'accept', title: 'Accept' },
        { id: 'decline', title: 'Decline' },
      ],
    }),
  list: () =>
    client.messages.sendInteractiveList({
      ...{ ...whom, bodyText: 'Pick', buttonText: 'Open' },
      sections: [{ title: 'All', rows: [{ id: '1', title: 'One', description: 'The first' }] }],
    }),
  'link button': () =>
    client.messages.sendInteractiveCtaUrl({
      ...whom,
      header: { type: 'image', image: { link: 'https://example.com/banner.png' } },
      bodyText: 'Tap the button to see dates.',
      parameters: { displayText: 'See Dates', url: 'https://example.com?utm=wa' },
    }),
  'location request': () =>
    client.messages.sendInteractiveLocationRequest({ ...whom, bodyText: 'Where are you?', parameters: { requestMessage: 'Send' } }),
  'create a flow': async () => {
    deployed = await client.flows.deploy(FLOW, { wabaId: businessAccountId, name: 'csat-flow', publish: true, preview: true });
  },
  flow: () =>
    client.messages.sendInteractiveFlow({
      ...{ ...whom, bodyText: 'Check out our new experience' },
      parameters: {
        ...{ flowId: deployed.flowId, flowCta: 'Open', flowToken: 'token123', flowAction: 'navigate' },
        flowActionPayload: { screen: 'CSAT' },
      },
    }),
  'list flows': () => client.flows.list({ wabaId: businessAccountId }),
  template: () =>
    client.messages.sendTemplate({
      ...whom,
      template: buildTemplateSendPayload({ name: 'hello', language: 'en_US', body: [{ type: 'text', text: 'Jessica' }] }),
    }),
  'mark as read': () => client.messages.markRead({ phoneNumberId, messageId: inbound }),
  typing: () => client.messages.markRead({ phoneNumberId, messageId: inbound, typingIndicator: { type: 'text' } }),
  'link of a file': () => client.media.get({ mediaId: media.id, phoneNumberId }),
  download: () => client.media.download({ mediaId: media.id, phoneNumberId, auth: 'always' }),
  'delete a file': () => client.media.delete({ mediaId: media.id, phoneNumberId }),
  'create a template': () =>
    client.templates.create({
      ...{ businessAccountId, name: 'kapso_template', language: 'en_US', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Hello' }],
    }),
  'list templates': () => client.templates.list({ businessAccountId }),
  'delete a template': () => client.templates.delete({ businessAccountId, name: 'kapso_template' }),
  'change the profile': () => client.phoneNumbers.businessProfile.update({ phoneNumberId, about: 'Books', vertical: 'RETAIL' }),
  'show the profile': () => client.phoneNumbers.businessProfile.get({ phoneNumberId, fields: 'about,vertical' }),
  webhook: () => {
    const rawBody = Buffer.from(given.webhook, 'base64');
    if (!verifySignature({ appSecret: given.appSecret, rawBody, signatureHeader: given.signature })) throw new Error('not verified');
  },
});
