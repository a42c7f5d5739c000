import { anyString, anyStringUpTo, anyValue, array, boolean, integer, named, object, oneOf, record, string, stringUpTo } from '#core';

const rich = named('WebchatText', object({ body: anyString(), spans: array(anyValue()) }));

/** A message as its visitor sees it. URLs are relative to that of the web chat, `/webchat/{number}/`; `chosen` is the key of an option. */
export const shownMessage = named(
  'WebchatMessage',
  object(
    { position: integer(), id: string(), direction: oneOf('in', 'out'), at: string(), type: string(), status: string() },
    {
      client_id: string(),
      text: rich,
      header: anyString(),
      footer: anyString(),
      file: object({ url: string(), type: string(), kind: string() }, { name: string(), size: integer(), caption: rich }),
      options: array(object({ key: integer(), id: string(), title: anyString() }, { description: anyString(), section: anyString() })),
      list_button: anyString(),
      form: object({}, { cta: anyString(), url: string() }),
      chosen: integer(),
      context: string(),
      author: oneOf('operator', 'bot'),
    },
  ),
);

const page = { messages: array(shownMessage), cursor: string(), more: boolean() };
export const pageSchema = object(page);

const opened = { token: string(), renewed: boolean().valid(true) };
export const sessionSchema = object({ visitor: string(), expires_at: string(), ...page }, opened);

const user = object({}, { id: stringUpTo(200), hash: stringUpTo(100), jwt: stringUpTo(8_192) });
export const openSchema = object({}, { token: stringUpTo(100), user });

export const configSchema = object({
  name: string(),
  language: string(),
  texts: record(record(anyString())),
  theme: record(string()),
  features: object({ upload: boolean(), identify: boolean() }),
  app: string(),
});

const MAX_CHARACTERS = 4_096;

export const postedSchema = object(
  { client_id: string().guid(), type: oneOf('text', 'tap', 'file') },
  {
    text: stringUpTo(MAX_CHARACTERS),
    option: object({ message: stringUpTo(100), index: integer().min(0).max(10_000) }),
    file: stringUpTo(100),
    caption: anyStringUpTo(MAX_CHARACTERS),
  },
);
export const postedFile = named('WebchatFile', object({ id: string(), url: string(), type: string(), name: string(), size: integer() }));

const MAX_PAGE = 100;
const cursor = () => stringUpTo(40);
export const pageQuery = object({}, { after: cursor(), before: cursor(), limit: integer().min(1).max(MAX_PAGE) });
export const streamQuery = object({}, { after: cursor() });
