import type { NumberKind } from './number.js';

/** Separators between the digits of a phone number. */
const SEPARATORS = /[\s().\-/]/g;
const INTERNATIONAL = /^\+?([1-9]\d{6,14})$/;

/** The digits of an international phone number, which are the network's id of a contact; undefined for other text. */
export const networkId = (written: string): string | undefined => INTERNATIONAL.exec(written.replace(SEPARATORS, ''))?.[1];

/** The digits with a leading plus, as numbers of the network are stored; undefined for text that is not an international phone number. */
export function networkAddress(written: string): string | undefined {
  const id = networkId(written);
  return id === undefined ? undefined : `+${id}`;
}

/** Whether an id of a contact on the network is that of an account. Phone numbers can pass to another person, ids of accounts cannot. */
export const isAccountId = (kind: NumberKind, id: string): boolean => kind !== 'channel' && networkId(id) === undefined;

const BRAZIL = /^55([1-9]{2})(9?)([6-9]\d{7})$/;
const MEXICO = /^52(1?)([2-9]\d{9})$/;
const ARGENTINA = /^549?([1-3]\d{9})$/;
/** With the prefix of mobile phones within the country, 15, after an area code of two, three or four digits. */
const ARGENTINA_DOMESTIC = /^549?(11|[23]\d\d|[23]\d{3})15(\d{6,8})$/;
const ARGENTINA_DIGITS = 10;

/**
 * Other spellings of a contact's id that mean the same phone number. On the network, which spells mobile numbers of some countries in its own
 * way: Brazil with and without the 9 after the area code, Mexico 52 and 521, Argentina 54 and 549. On a channel: with and without the plus.
 */
export function otherSpellings(kind: NumberKind, id: string): readonly string[] {
  if (kind === 'channel') return INTERNATIONAL.test(id) ? [id.startsWith('+') ? id.slice(1) : `+${id}`] : [];
  const [, area, nine, subscriber] = BRAZIL.exec(id) ?? [];
  if (area !== undefined) return [`55${area}${nine === '' ? '9' : ''}${subscriber}`];
  const [, one, mexican] = MEXICO.exec(id) ?? [];
  if (mexican !== undefined) return [`52${one === '' ? '1' : ''}${mexican}`];
  const [, code = '', local = ''] = ARGENTINA_DOMESTIC.exec(id) ?? [];
  const argentine = `${code}${local}`.length === ARGENTINA_DIGITS ? `${code}${local}` : ARGENTINA.exec(id)?.[1];
  if (argentine === undefined) return [];
  const areaLengths = argentine.startsWith('11') ? [2] : [3, 4];
  const withPrefix = areaLengths.map((length) => `54${argentine.slice(0, length)}15${argentine.slice(length)}`);
  return [`549${argentine}`, `54${argentine}`, ...withPrefix].filter((spelling) => spelling !== id);
}
