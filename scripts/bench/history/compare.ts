// Compares the rows of a generated folder with those that a platform receives: node compare.js <generated folder> <folder> <messages>
import { settledDeliveries } from '../../../core/delivery/settled-delivery.js';
import { contacts } from '../../../core/messaging/contact.js';
import { conversations } from '../../../core/messaging/conversation.js';
import { messages } from '../../../core/messaging/message.js';
import { addressOf, openPlatform, TEMPLATE_CONTACT, TEMPLATE_ID, TEXT } from './platform.js';

/** The differences of the rows of one collection. */
export interface Compared {
  readonly collection: string;
  readonly rows: number;
  /** Rows of the generated folder whose fields, types or forms of text no received row of their kind has. */
  readonly others: number;
  /** Mean bytes of JSON of a generated row, and of a received one. */
  readonly bytes: readonly [number, number];
}

const [generatedFolder, folder, messageCount] = [process.argv[2]!, process.argv[3]!, Number(process.argv[4])];
const PER_CONVERSATION = 20;
const AT_ONCE = 32;
type Opened = Awaited<ReturnType<typeof openPlatform>>;
const READS: Readonly<Record<string, (opened: Opened) => Promise<object[]>>> = {
  contacts: ({ documents }) => documents(contacts),
  conversations: ({ documents }) => documents(conversations),
  messages: ({ documents }) => documents(messages),
  deliveries: ({ documents }) => documents(settledDeliveries),
};

const received = await openPlatform(folder);
const { number } = await received.create();
const conversationCount = messageCount / PER_CONVERSATION;
let next = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let of = next++; of < conversationCount; of = next++) {
      for (let n = 0; n < PER_CONVERSATION / 2; n++) {
        await received.receive(number, { id: `wamid.${crypto.randomUUID()}`, from: addressOf(of), text: TEXT });
        await received.reply(number, addressOf(of));
      }
    }
  }),
);
await received.settled();
const generated = await openPlatform(generatedFolder);
const compared: Compared[] = [];
for (const [collection, read] of Object.entries(READS)) {
  const forms = new Set<string>();
  const receivedBytes: number[] = [];
  for (const row of await read(received)) {
    forms.add(JSON.stringify(formOf(row)));
    receivedBytes.push(JSON.stringify(row).length);
  }
  const rows = await read(generated);
  const bytes: readonly [number, number] = [meanOf(rows.map((row) => JSON.stringify(row).length)), meanOf(receivedBytes)];
  compared.push({ collection, rows: rows.length, others: rows.filter((row) => !forms.has(JSON.stringify(formOf(row)))).length, bytes });
}
console.log(JSON.stringify(compared));
process.exit();

/** The fields of a value in their order, with the types of numbers, and texts without the digits and words that differ. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string')
    return value
      .replaceAll(TEMPLATE_CONTACT, addressOf(0))
      .replaceAll(TEMPLATE_ID, 'wamid.0')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '0')
      .replace(/\d+/g, '0');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, formOf(value)]));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}
