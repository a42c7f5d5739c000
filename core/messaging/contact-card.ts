import { anyString, anyStringUpTo, array, named, object, stringUpTo } from '../shape.js';

const type = { type: anyStringUpTo(64) };

/** A contact card, in inbound and outbound messages (Resources, `contacts` of an inbound event). */
export const contactCardSchema = named(
  'ContactCard',
  object(
    { name: object({ formatted_name: stringUpTo(256) }, { first_name: anyStringUpTo(256), last_name: anyStringUpTo(256) }) },
    {
      addresses: array(
        object(
          {},
          {
            ...type,
            city: anyString(),
            country: anyString(),
            country_code: anyString(),
            state: anyString(),
            street: anyString(),
            zip: anyString(),
          },
        ),
      ).max(20),
      birthday: anyStringUpTo(32),
      contact_image: anyStringUpTo(700_000),
      emails: array(object({}, { ...type, email: anyString() })).max(20),
      ims: array(object({}, { service: anyString(), user_id: anyString() })).max(20),
      org: object({}, { company: anyString() }),
      phones: array(object({}, { ...type, phone: anyString(), wa_id: anyString() })).max(20),
      urls: array(object({}, { ...type, url: anyString() })).max(20),
    },
  ).example({
    name: { formatted_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' },
    birthday: '1990-04-12',
    emails: [{ type: 'WORK', email: 'ann@example.org' }],
    org: { company: 'Riverside Library' },
    phones: [{ type: 'CELL', phone: '+27 61 111 1111', wa_id: '27611111111' }],
  }),
);
