/** Signs that people write between the digits of a phone number. */
const DECORATION = /[\s().\-/]/g;
const INTERNATIONAL = /^\+?([1-9]\d{6,14})$/;

/** The digits of an international phone number, which is how the network names people; undefined when it is none. */
export const networkId = (written: string): string | undefined => INTERNATIONAL.exec(written.replace(DECORATION, ''))?.[1];

/** The same with its plus, which is how numbers of the network are kept; undefined when it is no international phone number. */
export function networkAddress(written: string): string | undefined {
  const id = networkId(written);
  return id === undefined ? undefined : `+${id}`;
}
