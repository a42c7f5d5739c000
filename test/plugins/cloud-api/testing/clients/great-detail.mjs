import Client from '@great-detail/whatsapp';
import { given, PNG, report } from './kit.mjs';

const { phoneNumberId: phoneNumberID, wabaId, to, inbound } = given;
const sdk = new Client({ prefixUrl: given.url, request: { headers: { Authorization: `Bearer ${given.accessToken}` }, retry: 0 } });
const send = (type, content) => sdk.message.createMessage({ phoneNumberID, to, type, [type]: content });
let media;
await report({
  'upload a file': async () => {
    const file = new Blob([PNG], { type: 'image/png' });
    media = await sdk.media.upload({ phoneNumberID, mimeType: 'image/png', file, filename: 'a.png' }).json();
  },
  text: () => send('text', { body: 'Hello' }),
  'reply with a quote': () =>
    sdk.message.createMessage({ phoneNumberID, to, type: 'text', text: { body: 'Hello' }, context: { message_id: inbound } }),
  reaction: () => send('reaction', { message_id: inbound, emoji: '😀' }),
  'image by id': () => send('image', { id: media.id }),
  'image by link': () => send('image', { link: 'https://a.test/a.png' }),
  document: () => send('document', { link: 'https://a.test/a.pdf', filename: 'a.pdf' }),
  location: () => send('location', { latitude: -33.45, longitude: -70.66, name: 'Santiago', address: 'CL' }),
  contacts: () => send('contacts', [{ name: { formatted_name: 'Ann Lee', first_name: 'Ann' } }]),
  template: () =>
    send('template', {
      ...{ name: 'hello', language: { code: 'en_US' } },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Example' }] }],
    }),
  'mark as read': () => sdk.message.createStatus({ phoneNumberID, message_id: inbound, status: 'read' }),
  typing: () => sdk.message.createStatus({ phoneNumberID, message_id: inbound, status: 'read', typing_indicator: { type: 'text' } }),
  'link of a file': () => sdk.media.getURL({ phoneNumberID, mediaID: media.id }),
  'delete a file': () => sdk.media.delete({ mediaID: media.id }),
  'create a template': () =>
    sdk.template.create(wabaId, {
      ...{ name: 'great_detail', language: 'en_US', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Hello' }],
    }),
  'list templates': () => sdk.template.list(wabaId, {}),
  'delete a template': () => sdk.template.delete(wabaId, { name: 'great_detail' }),
  'change the profile': () => sdk.businessProfile.updateBusinessProfile({ phoneNumberID, about: 'Books', vertical: 'RETAIL' }),
  'show the profile': () => sdk.businessProfile.getBusinessProfile({ phoneNumberID, fields: ['about', 'vertical'] }),
  'show the number': () => sdk.phoneNumbers.getPhoneNumber({ phoneNumberID }),
  'list numbers': () => sdk.phoneNumbers.listPhoneNumbers({ businessAccountID: wabaId }),
  'show the account': () => sdk.whatsappBusinessAccount.get(wabaId),
  'subscribe the app': () => sdk.subscribedApps.createSubscription({ businessAccountID: wabaId }),
  webhook: async () => {
    const event = await sdk.webhook.eventNotification({
      ...{ method: 'POST', query: {}, body: Buffer.from(given.webhook, 'base64').toString() },
      headers: { 'x-hub-signature-256': given.signature },
    });
    await event.verifySignature(given.appSecret);
  },
  'registration of the webhook': async () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': given.verifyToken, 'hub.challenge': '7' };
    const { challenge } = await sdk.webhook.register({ method: 'GET', query, body: undefined, headers: {} });
    if (challenge !== '7') throw new Error('no challenge');
  },
});
