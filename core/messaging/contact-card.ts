import { anyText, anyTextUpTo, fields, list, textUpTo } from '../shape.js';

const type = { type: anyTextUpTo(64) };

/** A card of somebody, as it travels in both directions (Resources, `contacts` of an inbound event). */
export const contactCardSchema = fields(
  { name: fields({ formatted_name: textUpTo(256) }, { first_name: anyTextUpTo(256), last_name: anyTextUpTo(256) }) },
  {
    addresses: list(
      fields(
        {},
        {
          ...type,
          city: anyText(),
          country: anyText(),
          country_code: anyText(),
          state: anyText(),
          street: anyText(),
          zip: anyText(),
        },
      ),
    ).max(20),
    birthday: anyTextUpTo(32),
    contact_image: anyTextUpTo(700_000),
    emails: list(fields({}, { ...type, email: anyText() })).max(20),
    ims: list(fields({}, { service: anyText(), user_id: anyText() })).max(20),
    org: fields({}, { company: anyText() }),
    phones: list(fields({}, { ...type, phone: anyText(), wa_id: anyText() })).max(20),
    urls: list(fields({}, { ...type, url: anyText() })).max(20),
  },
);
