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
