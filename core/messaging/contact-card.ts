import { anyString, anyStringUpTo, array, object, stringUpTo } from '../shape.js';

const type = { type: anyStringUpTo(64) };

/** A contact card, in inbound and outbound messages (Resources, `contacts` of an inbound event). */
export const contactCardSchema = object(
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
);
