import { anyText, fields, list, text } from '../shape.js';

const type = { type: anyText().max(64) };

/** A card of somebody, as it travels in both directions (Resources, `contacts` of an inbound event). */
export const contactCardSchema = fields(
  { name: fields({ formatted_name: text().max(256) }, { first_name: anyText().max(256), last_name: anyText().max(256) }) },
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
    birthday: anyText().max(32),
    contact_image: anyText().max(700_000),
    emails: list(fields({}, { ...type, email: anyText() })).max(20),
    ims: list(fields({}, { service: anyText(), user_id: anyText() })).max(20),
    org: fields({}, { company: anyText() }),
    phones: list(fields({}, { ...type, phone: anyText(), wa_id: anyText() })).max(20),
    urls: list(fields({}, { ...type, url: anyText() })).max(20),
  },
);
