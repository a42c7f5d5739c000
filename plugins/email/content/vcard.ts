import type { JsonObject } from '#core';

const MAX_CARDS = 20;
const MAX_CHARACTERS = 200_000;
const MAX_VALUES = 20;

/** The cards of a vCard file in the form of messages of the type `contacts`: names, numbers, addresses and company. */
export function cardsIn(vcard: string): JsonObject[] {
  const text = vcard.slice(0, MAX_CHARACTERS).replace(/\r?\n[ \t]/g, '');
  const cards = text.split(/^BEGIN:VCARD/im).slice(1, MAX_CARDS + 1);
  return cards.flatMap((card) => {
    const valuesOf = (name: string): string[] => {
      const found = card.matchAll(new RegExp(`^(?:[\\w-]+\\.)?${name}(?:;[^:\\n]*)?:(.+)$`, 'gim'));
      return [...found].slice(0, MAX_VALUES).map(([, value]) => plain(value!));
    };
    const [names, org, phones, emails] = [valuesOf('FN'), valuesOf('ORG'), valuesOf('TEL'), valuesOf('EMAIL')];
    const [formatted] = [...names, ...org, ...phones, ...emails];
    if (formatted === undefined) return [];
    return {
      name: { formatted_name: formatted.slice(0, 256) },
      ...(phones.length > 0 && { phones: phones.map((phone) => ({ phone: phone.replace(/^tel:/i, '') })) }),
      ...(emails.length > 0 && { emails: emails.map((email) => ({ email })) }),
      ...(org.length > 0 && { org: { company: org[0]! } }),
    };
  });
}

/** A value without the escapes of the format; components are separated by commas. */
const plain = (value: string): string =>
  value
    .replace(/\\n/gi, ' ')
    .replace(/(?<!\\);/g, ', ')
    .replace(/\\(.)/g, '$1')
    .trim();
