import type { Clock } from '#core/ports';
import { Contacts } from './contacts.js';
import { unknownObject } from './graph-error.js';
import { Rates } from './rates.js';
import type { StandInNumber, StandInSwitches } from './settings.js';
import type { Change, Webhooks } from './webhooks.js';

/** A version of Graph, from the first segment of the path. */
export interface GraphVersion {
  readonly major: number;
  readonly minor: number;
}

const FIRST_ID = 1_000_000_000_000_000;

/** The shared parts of the stand-in: numbers, contacts, rates, ids and webhooks. */
export class Network {
  readonly clock: Clock;
  readonly webhooks: Webhooks;
  readonly contacts: Contacts;
  readonly rates: Rates;
  readonly numbers: readonly StandInNumber[];
  switches: StandInSwitches;
  #ids = 0;
  #messages = 0;

  constructor(parts: { clock: Clock; webhooks: Webhooks; numbers: readonly StandInNumber[]; switches: StandInSwitches }) {
    this.clock = parts.clock;
    this.webhooks = parts.webhooks;
    this.numbers = parts.numbers;
    this.switches = parts.switches;
    const switches = (): StandInSwitches => this.switches;
    this.contacts = new Contacts(parts.clock, switches);
    this.rates = new Rates(parts.clock, switches);
  }

  /** A new decimal id. */
  id(): string {
    return String(FIRST_ID + ++this.#ids);
  }

  /** A new message id, which no client should parse. */
  messageId(): string {
    const content = `stand-in message ${String(++this.#messages).padStart(8, '0')}`;
    return `wamid.${Buffer.from(content).toString('base64')}`;
  }

  /** @throws GraphError 100, subcode 33 */
  number(phoneNumberId: string): StandInNumber {
    const number = this.numbers.find((one) => one.phoneNumberId === phoneNumberId);
    if (!number) throw unknownObject(phoneNumberId);
    return number;
  }

  /** The account and its numbers. @throws GraphError 100, subcode 33 */
  account(wabaId: string): readonly StandInNumber[] {
    const numbers = this.numbers.filter((one) => one.wabaId === wabaId);
    if (numbers.length === 0) throw unknownObject(wabaId);
    return numbers;
  }

  /** Seconds, as text. */
  timestamp(at = this.clock.now().getTime()): string {
    return String(Math.floor(at / 1000));
  }

  /** A change of the field `messages` of a number. */
  change({ wabaId, phoneNumberId, address }: StandInNumber, value: Readonly<Record<string, unknown>>): Change {
    const metadata = { display_phone_number: address.replace('+', ''), phone_number_id: phoneNumberId };
    return { wabaId, phoneNumberId, field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
  }
}
