import { type Check, CheckSkipped, expect } from '../check.js';
import { gotOf, headerOf, isSuccess } from '../exchange.js';
import { signatureChecks, timingChecks } from '../signature-checks.js';
import { statusOf } from '../signed.js';
import { expectObject, Integration, type IntegrationOptions, isObject, type Json, message } from './integration.js';

const HANDSHAKE = 'Resources, handshake response';
const UPDATE = 'Resources, update response';
const CLICK = 'Endpoints, integration context, action click';
const VERSION = '1.0.0-alpha';
const TYPES = ['table', 'ordered-list'];

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value).slice(0, 200));
/** Whether a value is a URL of http or https, absolute or relative. */
const isAddress = (value: unknown): boolean =>
  isText(value) && URL.canParse(value, BASE) && /^https?:$/.test(new URL(value, BASE).protocol);
const BASE = 'http://integration.invalid/';
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The context objects that the handshake declares. */
const declared = (capabilities: Json): Json[] => (Array.isArray(capabilities.context_objects) ? capabilities.context_objects : []);

/** A check of the handshake or of the update, both of which are requested once. */
const looksAt = (
  part: 'handshake' | 'update',
  { check, ...about }: Omit<Check<Integration>, 'run' | 'sends' | 'section'> & { check(json: Json, capabilities: Json): void },
): Check<Integration> => ({
  section: part === 'handshake' ? HANDSHAKE : UPDATE,
  sends: part === 'handshake' ? 'the handshake' : 'a conversation with two messages',
  ...about,
  async run(subject) {
    const { json, capabilities } = await subject.handshake();
    check(part === 'handshake' ? json : (await subject.update()).json, capabilities);
  },
});

export const checksOfIntegrations: readonly Check<Integration>[] = [
  {
    id: 'I-01',
    level: 'MUST',
    section: HANDSHAKE,
    title: 'responds to the handshake with a JSON object',
    sends: 'POST ?handshake=true with {"handshake":true}',
    fix: 'Respond 200 with the handshake response to a POST whose body has handshake true; the query says the same.',
    async run(subject) {
      expectObject((await subject.handshake()).exchange, 'the handshake');
    },
  },
  {
    id: 'I-02',
    level: 'MUST',
    section: UPDATE,
    title: 'responds to a conversation with a JSON object',
    sends: 'a conversation with two messages',
    needs: ['I-01'],
    fix: 'Respond 200 with the update object to a POST with chat and messages.',
    async run(subject) {
      expectObject((await subject.update()).exchange, 'a conversation');
    },
  },
  ...timingChecks(['I-03', '', ''], ['I-02'])
    .slice(0, 1)
    .map(({ implies: _, ...check }) => ({
      ...check,
      sends: 'three conversations',
      fix: 'Respond within five seconds, or the panel shows an error instead of your data. Cache what is slow.',
    })),
  ...signatureChecks(['I-04', 'I-05', 'I-06', 'I-07', 'I-08', 'I-09', 'I-10', 'I-11', 'I-12', 'I-13'], ['I-02']),
  looksAt('handshake', {
    id: 'I-14',
    level: 'SHOULD',
    title: 'names the version in the handshake',
    needs: ['I-01'],
    fix: `Add "version": "${VERSION}".`,
    check: ({ version }) => expect(version === VERSION, `version ${VERSION}`, shown(version)),
  }),
  looksAt('handshake', {
    id: 'I-15',
    level: 'MUST',
    title: 'has the object capabilities in the handshake',
    needs: ['I-01'],
    fix: 'Add the object capabilities with actions, suggested_responses and context_objects.',
    check: ({ capabilities }) => expect(isObject(capabilities), 'an object capabilities', shown(capabilities)),
  }),
  looksAt('handshake', {
    id: 'I-16',
    level: 'MUST',
    title: 'declares actions and suggested responses as true or false',
    needs: ['I-15'],
    fix: 'Set capabilities.actions and capabilities.suggested_responses to true or false.',
    check(_, { actions, suggested_responses: suggested }) {
      for (const [name, value] of Object.entries({ actions, suggested_responses: suggested }))
        expect(typeof value === 'boolean', `a boolean in capabilities.${name}`, shown(value));
    },
  }),
  looksAt('handshake', {
    id: 'I-17',
    level: 'MUST',
    title: 'declares context objects as a list',
    needs: ['I-15'],
    fix: 'Set capabilities.context_objects to an array, in the order in which the panel shows them; it may be empty.',
    check: (_, { context_objects: objects }) => expect(Array.isArray(objects), 'an array capabilities.context_objects', shown(objects)),
  }),
  looksAt('handshake', {
    id: 'I-18',
    level: 'MUST',
    title: 'gives each context object a title and a code',
    needs: ['I-17'],
    fix: 'Give every context object a title and a code, both texts.',
    check(_, capabilities) {
      for (const one of declared(capabilities)) expect(isText(one?.title) && isText(one?.code), 'texts in title and code', shown(one));
    },
  }),
  looksAt('handshake', {
    id: 'I-19',
    level: 'MUST',
    title: 'gives each context object its own code',
    needs: ['I-18'],
    fix: 'Use each code once: the update refers to context objects by their codes.',
    check(_, capabilities) {
      const codes = declared(capabilities).map(({ code }) => code);
      expect(new Set(codes).size === codes.length, 'different codes', codes.join(', '));
    },
  }),
  looksAt('handshake', {
    id: 'I-20',
    level: 'MUST',
    title: 'gives each context object the type table or ordered-list',
    needs: ['I-18'],
    fix: 'Set type to table or ordered-list; the platform shows no other types.',
    check(_, capabilities) {
      for (const { type, code } of declared(capabilities))
        expect(TYPES.includes(type), `type table or ordered-list of ${code}`, shown(type));
    },
  }),
  looksAt('update', {
    id: 'I-21',
    level: 'SHOULD',
    title: 'names the version in the update',
    needs: ['I-02'],
    fix: `Add "version": "${VERSION}".`,
    check: ({ version }) => expect(version === VERSION, `version ${VERSION}`, shown(version)),
  }),
  looksAt('update', {
    id: 'I-22',
    level: 'MUST',
    title: 'updates context objects by their codes',
    needs: ['I-02'],
    fix: 'Send context_objects as an object whose keys are codes of the handshake.',
    check: ({ context_objects: objects = {} }) => expect(isObject(objects), 'an object context_objects', shown(objects)),
  }),
  looksAt('update', {
    id: 'I-23',
    level: 'MUST',
    title: 'updates only context objects that the handshake declares',
    needs: ['I-22', 'I-18'],
    fix: 'Declare every code in the handshake; the platform ignores others.',
    check({ context_objects: objects = {} }, capabilities) {
      const codes = declared(capabilities).map(({ code }) => code);
      const unknown = Object.keys(objects).filter((code) => !codes.includes(code));
      expect(unknown.length === 0, `only the codes ${codes.join(', ') || 'of the handshake, which are none'}`, unknown.join(', '));
    },
  }),
  looksAt('update', {
    id: 'I-24',
    level: 'MUST',
    title: 'sends tables as objects, and ordered lists as arrays of texts',
    needs: ['I-22', 'I-20'],
    fix: 'Send a table as an object of names and values, and an ordered list as an array of texts without nesting.',
    check({ context_objects: objects = {} }, capabilities) {
      for (const { code, type } of declared(capabilities)) {
        const value = objects[code];
        if (value === undefined) continue;
        const isRight =
          type === 'table' ? isObject(value) : Array.isArray(value) && value.every((item: unknown) => typeof item === 'string');
        expect(isRight, type === 'table' ? `an object as ${code}` : `an array of texts as ${code}`, shown(value));
      }
    },
  }),
  looksAt('update', {
    id: 'I-25',
    level: 'MUST',
    title: 'offers actions with a description and a URL',
    needs: ['I-02'],
    fix: 'Send actions as an object; each action has description and url, both texts. The URL may be relative to that of the integration.',
    check({ actions = {} }) {
      expect(isObject(actions), 'an object actions', shown(actions));
      for (const [name, action] of Object.entries(actions))
        expect(isText(action?.description) && isAddress(action?.url), `a text in description and a URL in url of ${name}`, shown(action));
    },
  }),
  looksAt('update', {
    id: 'I-26',
    level: 'MUST',
    title: 'offers options of actions as an object of labels',
    needs: ['I-25'],
    fix: 'Send options as an object of option keys and labels; the key comes back as option.',
    check({ actions = {} }) {
      for (const [name, { options = {} }] of Object.entries<Json>(actions)) {
        const isRight = isObject(options) && Object.values(options).every((label) => typeof label === 'string');
        expect(isRight, `an object of texts as options of ${name}`, shown(options));
      }
    },
  }),
  looksAt('update', {
    id: 'I-27',
    level: 'MUST',
    title: 'offers only actions and suggestions that the handshake declares',
    needs: ['I-25', 'I-16'],
    fix: 'Set capabilities.actions and capabilities.suggested_responses to true if updates contain them; otherwise they are ignored.',
    check({ actions = {}, suggested_responses: suggested = [] }, capabilities) {
      for (const [name, value] of Object.entries({ actions, suggested_responses: suggested })) {
        const count = Object.keys(value ?? {}).length;
        expect(capabilities[name] === true || count === 0, `no ${name}, because the handshake declares none`, `${count}`);
      }
    },
  }),
  looksAt('update', {
    id: 'I-28',
    level: 'MUST',
    title: 'suggests responses with type, title, body and confidence',
    needs: ['I-02'],
    fix: 'Send suggested_responses as an array; type, title and body are texts, and confidence is a number.',
    check({ suggested_responses: suggested = [] }) {
      expect(Array.isArray(suggested), 'an array suggested_responses', shown(suggested));
      for (const one of suggested) {
        const isRight = isText(one?.type) && isText(one.title) && isText(one.body) && typeof one.confidence === 'number';
        expect(isRight, 'texts in type, title and body, and a number in confidence', shown(one));
      }
    },
  }),
  {
    id: 'I-29',
    level: 'SHOULD',
    section: UPDATE,
    title: 'responds to a conversation without messages',
    sends: 'a conversation without messages',
    needs: ['I-02'],
    fix: 'Expect an empty history: an operator may open a conversation before the first message.',
    run: async (subject) => expectObject(await subject.refresh([]), 'a conversation without messages'),
  },
  {
    id: 'I-30',
    level: 'SHOULD',
    section: UPDATE,
    title: 'responds to a conversation without inbound text',
    sends: 'a conversation with an outbound text and an inbound image',
    needs: ['I-02'],
    fix: 'Do not expect that the newest message is an inbound text; look for it, and respond without it otherwise.',
    async run(subject) {
      const image = { ...message('', 'inbound'), type: 'image', text: undefined, image: { id: 'conformance', mime_type: 'image/png' } };
      expectObject(await subject.refresh([message('Welcome', 'outbound'), image]), 'a conversation without inbound text');
    },
  },
  {
    id: 'I-31',
    level: 'MUST',
    section: UPDATE,
    title: 'ignores fields that it does not know',
    sends: 'a conversation with unknown fields',
    needs: ['I-02'],
    implies: ['I-12'],
    fix: 'Ignore unknown fields: chat and messages have more fields than you need, and get new ones.',
    async run(subject) {
      const known = subject.conversation([{ ...message('hi', 'inbound'), conformance_unknown: {} }]);
      const body = JSON.stringify({ ...known, conformance_unknown: [1] });
      expectObject(await subject.post(body), 'a conversation with unknown fields');
    },
  },
  {
    id: 'I-32',
    level: 'MUST',
    section: CLICK,
    title: 'responds 2XX to a click on its action',
    sends: 'a click on the first action of the conversation of a contact +999…, with made-up uuids',
    needs: ['I-25'],
    fix: 'Accept POST to the url of the action, with address, message, payload and option, and respond 2XX.',
    async run(subject) {
      const exchange = await subject.click();
      if (!exchange) throw new CheckSkipped('the integration offers no action');
      expect(isSuccess(exchange), 'a 2XX response to a click', gotOf(exchange));
    },
  },
  {
    id: 'I-33',
    level: 'SHOULD',
    section: 'Endpoints, integration context, refresh rules, 1',
    title: 'asks for a refresh with the value true',
    sends: 'a click on the first action',
    needs: ['I-32'],
    fix: 'Set the header X-…-Integration-Refresh to true to reload the panel after the action, or leave it out.',
    async run(subject) {
      const exchange = await subject.click();
      const value = exchange && headerOf(exchange, subject.header('Integration-Refresh'));
      if (value === undefined) throw new CheckSkipped('the response to the click has no refresh header');
      expect(value === 'true', 'the value true', value);
    },
  },
  {
    id: 'I-34',
    level: 'SHOULD',
    section: 'Authentication, 8',
    title: 'refuses requests with another API token',
    sends: 'a signed conversation with another token',
    needs: ['token', 'I-02'],
    fix: 'Compare the header Authorization with the token that you entered on the platform, in addition to the signature.',
    async run(subject) {
      const exchange = await subject.post(subject.sample('Another token'), { token: 'not-the-token' });
      expect(statusOf(exchange) >= 400 && statusOf(exchange) < 500, 'a 4XX response to another token', gotOf(exchange));
    },
  },
];

export { Integration, type IntegrationOptions };
