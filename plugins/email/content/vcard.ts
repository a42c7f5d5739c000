import type { JsonObject } from '#core';

const MAX_CARDS = 20;
const MAX_CHARACTERS = 200_000;
const MAX_VALUES = 20;

/** The cards of a vCard file in the form of messages of the type `contacts`: names, numbers, addresses and company. */
export function cardsIn(vcard: string): JsonObject[] {
  const lines = vcard
    .slice(0, MAX_CHARACTERS)
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/);
  const cards: { name: string; values: Map<string, string[]> }[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^(?:[\w-]+\.)?([\w-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];
    const key = name.toUpperCase();
    if (key === 'BEGIN' && cards.length < MAX_CARDS) cards.push({ name: '', values: new Map() });
    const known = cards.at(-1)?.values;
    if (known && value !== '') known.set(key, [...(known.get(key) ?? []).slice(0, MAX_VALUES - 1), plain(value)]);
  }
  return cards.flatMap(({ values }) => {
    const [formatted] = values.get('FN') ?? values.get('ORG') ?? values.get('TEL') ?? values.get('EMAIL') ?? [];
    if (formatted === undefined) return [];
    return [
      {
        name: { formatted_name: formatted.slice(0, 256) },
        ...(values.has('TEL') && { phones: values.get('TEL')!.map((phone) => ({ phone: phone.replace(/^tel:/i, '') })) }),
        ...(values.has('EMAIL') && { emails: values.get('EMAIL')!.map((email) => ({ email })) }),
        ...(values.has('ORG') && { org: { company: values.get('ORG')![0]! } }),
      },
    ];
  });
}

/** A value without the escapes of the format; components are separated by commas. */
const plain = (value: string): string =>
  value
    .replace(/\\n/gi, ' ')
    .replace(/(?<!\\);/g, ', ')
    .replace(/\\(.)/g, '$1')
    .trim();
