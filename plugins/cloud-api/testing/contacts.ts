import type { Clock } from '#core/ports';
import type { StandInNumber, StandInSwitches } from './settings.js';

/** The 24 hours after a contact's last message in which free-form messages are allowed. */
const WINDOW_MS = 24 * 60 * 60 * 1000;

/** The fields of a contact that a test sets. */
export interface ContactSettings {
  readonly name?: string;
  readonly username?: string;
  /** The webhooks contain the user id only. */
  readonly hidesNumber?: boolean;
  /** Messages to contacts who are not on the network fail with 131026. */
  readonly isOnNetwork?: boolean;
  /** The id under which the network knows the contact, if it is not the number (as in some countries): digits. */
  readonly waId?: string;
}

/** A person on the network. */
export interface StandInContact extends Required<Omit<ContactSettings, 'username'>> {
  readonly username: string | undefined;
  /** Business-scoped: `US.` and digits. */
  readonly userId: string;
}

export const digitsOf = (address: string): string => address.replace(/\D/g, '');

/** The persons on the network, and when they last wrote to which number. Unknown numbers become contacts when they are first used. */
export class Contacts {
  readonly #clock: Clock;
  readonly #switches: () => StandInSwitches;
  readonly #byAddress = new Map<string, StandInContact>();
  readonly #lastWrote = new Map<string, number>();

  constructor(clock: Clock, switches: () => StandInSwitches) {
    this.#clock = clock;
    this.#switches = switches;
  }

  /** The contact with an address (digits, with or without plus) or with a user id. */
  of(key: string): StandInContact {
    const known = [...this.#byAddress.values()].find(({ userId }) => userId === key);
    return known ?? this.#byAddress.get(digitsOf(key)) ?? this.set(key, {});
  }

  withUserId(userId: string): StandInContact | undefined {
    return [...this.#byAddress.values()].find((contact) => contact.userId === userId);
  }

  set(address: string, settings: ContactSettings): StandInContact {
    const digits = digitsOf(address);
    const known = this.#byAddress.get(digits);
    const contact: StandInContact = {
      name: `Contact ${digits.slice(-4)}`,
      username: undefined,
      hidesNumber: false,
      isOnNetwork: true,
      waId: digits,
      userId: `US.${1_349_000_000_000_001 + this.#byAddress.size}`,
      ...known,
      ...settings,
    };
    this.#byAddress.set(digits, contact);
    return contact;
  }

  /** Moves a contact to another number. */
  move(from: string, to: string): StandInContact {
    const { userId, name, username } = this.of(from);
    this.#byAddress.delete(digitsOf(from));
    const digits = digitsOf(to);
    const moved: StandInContact = { name, username, userId, hidesNumber: false, isOnNetwork: true, waId: digits };
    this.#byAddress.set(digits, moved);
    return moved;
  }

  wrote({ phoneNumberId }: StandInNumber, { userId }: StandInContact): void {
    this.#lastWrote.set(`${phoneNumberId} ${userId}`, this.#clock.now().getTime());
  }

  hasOpenWindow({ phoneNumberId }: StandInNumber, { userId }: StandInContact): boolean {
    const at = this.#lastWrote.get(`${phoneNumberId} ${userId}`);
    return at !== undefined && this.#clock.now().getTime() - at < WINDOW_MS;
  }

  /** The id of a contact in a webhook, under the given name; nothing or '' for contacts who hide their number. */
  waId(key: string, { hidesNumber, waId }: StandInContact): Record<string, string> {
    if (!hidesNumber) return { [key]: waId };
    return this.#switches().hiddenNumber === 'empty' ? { [key]: '' } : {};
  }

  /** The item of `contacts` in a webhook. */
  card(contact: StandInContact): Record<string, unknown> {
    const { name, username, userId } = contact;
    return { profile: { name, ...(username !== undefined && { username }) }, ...this.waId('wa_id', contact), user_id: userId };
  }
}
