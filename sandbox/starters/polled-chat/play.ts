/** The stand-in on port 4704, with one person in this terminal: a line is a message, and the number of a button is a tap on it. */
import { createInterface } from 'node:readline';
import { RealClock, serveStandIn } from 'posthorn/testing';
import { StandIn } from './stand-in.js';

const clock = new RealClock({ onError: (error) => console.error(error) });
const standIn = new StandIn(clock);
standIn.onSent = ({ text, buttons }) => console.log([`< ${text}`, ...buttons.map(({ title }, i) => `  ${i + 1} ${title}`)].join('\n'));
await serveStandIn(Number(process.env.PORT ?? 4704), clock, (call) => standIn.answer(call));
console.log(`Its token: ${standIn.token}. Write, and press Enter.`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { buttons = [] } = standIn.sent.at(-1) ?? {};
  if (buttons[Number(line) - 1]) standIn.tap('ann', Number(line) - 1);
  else standIn.write('ann', line);
});
