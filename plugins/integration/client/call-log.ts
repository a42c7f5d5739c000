import { anyString, array, boolean, type HttpOutcome, integer, Newest, named, nullable, object, oneOf, string, type TypeOf } from '#core';
import { beginningOf } from '#core/basics';
import { shownHeaders } from '#core/ports';
import { type Trouble, troubleSchema } from '../schemas.js';

/** How many calls to all integrations are in memory, and how many bytes of them. */
const LIMITS = { count: 500, bytes: 8 * 1024 * 1024 };
/** Longer bodies are cut, in characters. */
const MAX_BODY = 64 * 1024;
/** The rough size of a call without its bodies. */
const CALL_BYTES = 1_000;
const MASK = '…';

const bodySchema = object({ bytes: integer(), content: anyString(), cut: boolean() });
const headersSchema = array(array(anyString()));

/** Why an integration was asked for its panel. */
export const causes = ['opened', 'requested', 'header', 'notified'] as const;
export type Cause = (typeof causes)[number];

export const integrationCallSchema = named(
  'IntegrationCall',
  object(
    {
      id: string(),
      at: string(),
      kind: oneOf('handshake', 'context', 'action'),
      url: string(),
      ms: integer(),
      /** The status of the response; null without a response. */
      status: nullable(integer()),
      request: object({ headers: headersSchema, body: bodySchema }),
      /** Null without a response, and for a response that was not read. */
      response: nullable(object({ headers: headersSchema, body: bodySchema })),
    },
    {
      conversation: string(),
      /** Of a call for context: a conversation was opened, a refresh was requested, a click asked for one with a header, or `notify/finish` did. */
      cause: oneOf(...causes),
      action: anyString(),
      option: anyString(),
      click: string(),
      trouble: troubleSchema,
    },
  ),
);
export type IntegrationCall = TypeOf<typeof integrationCallSchema>;

/** The purpose of a call, for the log. */
export type CallAbout = Pick<IntegrationCall, 'kind' | 'conversation' | 'cause' | 'action' | 'option' | 'click'>;

interface Sent {
  readonly about: CallAbout;
  readonly integration: string;
  readonly at: Date;
  readonly url: string;
  readonly ms: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly outcome: HttpOutcome;
  readonly trouble: Trouble | undefined;
  /** Values that an integration may repeat in its response. */
  readonly secrets: readonly string[];
}

/** The newest calls to integrations, with both bodies, in the memory of this process only. */
export type CallLog = ReturnType<typeof createCallLog>;

export function createCallLog() {
  const calls = new Newest<IntegrationCall>(LIMITS);
  let last = 0;

  return {
    add({ about, integration, at, url, ms, headers, body, outcome, trouble, secrets }: Sent): void {
      const isAnswered = outcome.kind === 'response';
      const call: IntegrationCall = {
        ...about,
        id: `call_${++last}`,
        at: at.toISOString(),
        url,
        ms,
        status: isAnswered ? outcome.status : null,
        request: { headers: shownHeaders(Object.entries(headers).flat()), body: shownBody(Buffer.from(body), secrets) },
        response: isAnswered
          ? { headers: shownHeaders(Object.entries(outcome.headers).flat()), body: shownBody(outcome.body, secrets, outcome.cut) }
          : null,
        ...(trouble && { trouble }),
      };
      calls.add(integration, call, CALL_BYTES + call.request.body.content.length + (call.response?.body.content.length ?? 0));
    },

    forget: (conversations: readonly string[]): void => calls.remove(({ conversation = '' }) => conversations.includes(conversation)),

    /** Newest first. */
    of: (integration: string): IntegrationCall[] => [...calls.of(integration)].reverse(),
  };
}

function shownBody(bytes: Uint8Array, secrets: readonly string[], isCut = false): IntegrationCall['request']['body'] {
  const text = secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), new TextDecoder().decode(bytes));
  const content = beginningOf(text, MAX_BODY);
  return { bytes: bytes.byteLength, content, cut: isCut || content.length < text.length };
}
