import { WhatsAppAPI } from 'whatsapp-api-js';
import {
  ActionButtons,
  ActionCTA,
  ActionList,
  ActionLocation,
  ActionNavigateFlow,
  Audio,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Image,
  Interactive,
  Language,
  ListSection,
  Location,
  Name,
  Phone,
  Reaction,
  Row,
  Sticker,
  Template,
  Text,
  Video,
} from 'whatsapp-api-js/messages';
import { given, PNG, redirect, report } from './kit.mjs';

redirect();
const { phoneNumberId: phone, to, inbound, flow } = given;
const Whatsapp = new WhatsAppAPI({ token: given.accessToken, appSecret: given.appSecret, webhookVerifyToken: given.verifyToken });
const send = (message, context) => Whatsapp.sendMessage(phone, to, message, context);
let media;
let url;
await report({
  'upload a file': async () => {
    const form = new FormData();
    form.set('file', new Blob([PNG], { type: 'image/png' }), 'a.png');
    media = await Whatsapp.uploadMedia(phone, form);
    return media;
  },
  text: () => send(new Text('*Ann* said:\n\nhello')),
  'reply with a quote': () => send(new Text('hello'), inbound),
  reaction: () => send(new Reaction(inbound, '👍')),
  'image by id': () => send(new Image(media.id, true, 'Nice photo, Ann')),
  'image by link': () => send(new Image('https://a.test/a.png', false, 'Nice photo')),
  video: () => send(new Video('https://a.test/a.mp4', false, 'A clip')),
  audio: () => send(new Audio('https://a.test/a.mp3')),
  document: () => send(new Document('https://a.test/a.pdf', false, undefined, 'Our document')),
  sticker: () => send(new Sticker('https://a.test/a.webp')),
  location: () => send(new Location(-70.66, -33.45, 'Santiago', 'CL')),
  contacts: () => send(new Contacts([new Name('Ann Lee', 'Ann'), new Phone('+15551234567', 'WORK')])),
  buttons: () => send(new Interactive(new ActionButtons(new Button('yes', 'Yes'), new Button('no', 'No')), new Body('Choose'))),
  list: () =>
    send(new Interactive(new ActionList('Open', new ListSection(undefined, new Row('1', 'One', 'The first'))), new Body('Choose'))),
  'link button': () => send(new Interactive(new ActionCTA('See dates', 'https://a.test'), new Body('Tap'))),
  'location request': () => send(new Interactive(new ActionLocation(), new Body('Where are you?'))),
  flow: () => send(new Interactive(new ActionNavigateFlow('token', flow, 'Open', 'A', undefined, 'draft'), new Body('A form'))),
  template: () => send(new Template('hello', new Language('en_US'), new BodyComponent(new BodyParameter('Ann')))),
  'mark as read': () => Whatsapp.markAsRead(phone, inbound),
  typing: () => Whatsapp.markAsRead(phone, inbound, 'text'),
  'link of a file': async () => {
    url = await Whatsapp.retrieveMedia(media.id);
    return url;
  },
  download: async () => {
    const { status } = await Whatsapp.fetchMedia(url.url);
    if (status !== 200) throw new Error(`status ${status}`);
  },
  'delete a file': () => Whatsapp.deleteMedia(media.id),
  webhook: async () => {
    let text;
    Whatsapp.on.message = ({ message }) => {
      text = message.text.body;
    };
    const body = Buffer.from(given.webhook, 'base64').toString();
    await Whatsapp.post(JSON.parse(body), body, given.signature);
    if (text !== given.text) throw new Error(`received ${text}`);
  },
  'registration of the webhook': () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': given.verifyToken, 'hub.challenge': '7' };
    if (Whatsapp.get(query) !== '7') throw new Error('no challenge');
  },
});
